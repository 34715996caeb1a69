// The simulator, with as much state as one pull request needs between its opening and its merge. It holds every
// request against GitHub's OpenAPI description and answers 400 to what does not fit. Where it has no state of its own,
// a handler below puts ours over the example in that description, so answers are GitHub's in form.
//
// Reads the world as JSON from standard input, prints its port, and shows and takes the world at /-/world.
import { readFileSync } from "node:fs";
import { buildSchema, graphql } from "graphql";
import { simulation } from "@simulacrum/github-api-simulator";

const world = JSON.parse(readFileSync(0, "utf8"));
const { login: owner, name } = world.repo;
let last = 100;

/** GitHub's example of an answer to this operation. */
const example = (c) => c.api.mockResponseForOperation(c.operation.operationId).mock;
const one = (make) => (c, request, response) => {
  const mine = make(c.request.params, request.body, request.query);
  if (mine === undefined) return void response.status(404).json({ message: "Not Found" });
  const status = { "checks/create": 201, "issues/create-comment": 201, "reactions/create-for-issue-comment": 201 };
  response.status(status[c.operation.operationId] ?? 200).json({ ...example(c), ...mine });
};
const many = (make, under) => (c, request, response) => {
  const mine = make(c.request.params, request.query);
  if (!under) return void response.json(mine.map((it) => ({ ...example(c)[0], ...it })));
  response.json({ total_count: mine.length, [under]: mine.map((it) => ({ ...example(c)[under][0], ...it })) });
};
const put = (list, values) => list[list.push({ id: ++last, ...values }) - 1];
const find = (list, id) => list.find((it) => String(it.id) === id);

const text = (path, ref) => {
  const files = world.files[ref] ?? {};
  if (path in files) {
    const content = Buffer.from(files[path]).toString("base64");
    return { type: "file", encoding: "base64", name: path, path, size: files[path].length, content };
  }
};
const folder = (path, ref) => {
  const start = path === "/" ? "" : `${path}/`;
  const below = Object.keys(world.files[ref] ?? {}).filter((it) => it.startsWith(start));
  const names = new Set(below.map((it) => it.slice(start.length).split("/")[0]));
  const type = (it) => (start + it in world.files[ref] ? "file" : "dir");
  return [...names].map((it) => ({ name: it, type: type(it), sha: "f".repeat(40) }));
};

const openapiHandlers = () => ({
  // Runs for what was found good, right before it is answered.
  preOperationHandler: (c, request, response) => {
    const known = c.operation.requestBody?.content["application/json"]?.schema?.properties ?? {};
    const unknown = Object.keys(request.body ?? {}).filter((it) => !(it in known));
    Object.assign(response.locals.call, { operation: c.operation.operationId, unknown });
  },
  "apps/get-authenticated": one(() => world.app),
  "apps/list-webhook-deliveries": many(() => []),
  "apps/list-repos-accessible-to-installation": many(() => [world.repository], "repositories"),
  "users/get-by-username": one(({ username }) => world.users.find((it) => it.login === username)),
  "repos/get": one(() => world.repository),
  "repos/get-collaborator-permission-level": one(({ username }) => ({
    role_name: world.roles[username] ?? "read",
    user: world.users.find((it) => it.login === username),
  })),
  "repos/get-content": (c, request, response) => {
    const found = text(c.request.params.path, request.query.ref);
    const listed = folder(c.request.params.path, request.query.ref);
    if (!found && !listed.length) return void response.status(404).json({ message: "Not Found" });
    response.json(found ?? listed);
  },
  "git/get-ref": one(({ ref }) => (ref === "heads/main" ? { object: { sha: world.base, type: "commit" } } : undefined)),
  "pulls/list": many(() => (world.pull.state === "open" ? [world.pull] : [])),
  "pulls/get": one(() => world.pull),
  "pulls/list-files": many(() => world.changed),
  "pulls/list-reviews": many(() => world.reviews),
  "pulls/create-review": one((_, { comments, ...review }) => {
    const made = put(world.reviews, { ...review, state: "COMMENTED", user: world.bot, submitted_at: new Date() });
    for (const it of comments ?? []) put(world.comments, { ...it, user: world.bot, pull_request_review_id: made.id });
    return made;
  }),
  "pulls/list-review-comments": many(() => world.comments),
  "pulls/merge": one((_, { sha }) => {
    const merged = { state: "closed", merged: true, merged_at: new Date(), merge_commit_sha: "e".repeat(40) };
    Object.assign(world.pull, merged);
    world.merges.push(sha);
    return { merged: true, sha: world.pull.merge_commit_sha };
  }),
  "checks/create": one((_, body) => put(world.checks, { ...body, app: world.app, annotations: 0 })),
  "checks/update": one(({ check_run_id }, body) => {
    const check = find(world.checks, check_run_id);
    check.annotations += body.output?.annotations?.length ?? 0;
    return Object.assign(check, body);
  }),
  "checks/get": one(({ check_run_id }) => {
    const check = find(world.checks, check_run_id);
    return { ...check, output: { ...check.output, annotations_count: check.annotations } };
  }),
  // 204, as the description says: the bot has to find the run by its job's id.
  "actions/create-workflow-dispatch": (c, request, response) => {
    const path = `.github/workflows/${c.request.params.workflow_id}`;
    const { ref, inputs } = request.body;
    const display_title = `envbounty job=${inputs.job_id}`;
    const fixed = { event: "workflow_dispatch", status: "in_progress", conclusion: null, run_attempt: 1 };
    const who = { actor: world.bot, triggering_actor: world.bot };
    const where = { repository: world.repository, head_repository: world.repository };
    const head = { head_branch: ref, head_sha: world.base };
    put(world.runs, { path, inputs, display_title, ...head, ...fixed, ...who, ...where });
    response.status(204).end();
  },
  "actions/list-workflow-runs-for-repo": many(() => world.runs, "workflow_runs"),
  "actions/get-workflow-run": one(({ run_id }) => find(world.runs, run_id)),
  "actions/list-workflow-run-artifacts": many(({ run_id }) => find(world.runs, run_id).artifacts ?? [], "artifacts"),
  "issues/create-comment": one((_, body) => put(world.talk, { ...body, user: world.bot })),
  "reactions/create-for-issue-comment": one(({ comment_id }, body) => put(world.reactions, { comment_id, ...body })),
});

// The simulator's own GraphQL knows organizations and repositories only. This one is held against the same schema.
const simulator = new URL("../", import.meta.resolve("@simulacrum/github-api-simulator"));
const schema = buildSchema(readFileSync(new URL("schema/schema.docs.graphql", simulator), "utf8"));
const thread = (it) => ({ id: `T${it.id}`, isResolved: !!it.resolved, comments: { nodes: [{ databaseId: it.id }] } });
const resolved = (to) => ({ input }) => {
  const comment = world.comments.find((it) => `T${it.id}` === input.threadId);
  return { thread: thread(Object.assign(comment, { resolved: to })) };
};
const rootValue = {
  repository: () => ({
    pullRequest: { reviewThreads: { pageInfo: { hasNextPage: false }, nodes: world.comments.map(thread) } },
  }),
  resolveReviewThread: resolved(true),
  unresolveReviewThread: resolved(false),
};

const extendRouter = (app) => {
  app.get("/-/world", (_, response) => void response.json(world));
  // Copied, because the simulator keeps every body in its log and freezes it.
  app.post("/-/world", (request, response) => {
    response.json(Object.assign(world, structuredClone(request.body)));
  });
  app.use((request, response, next) => {
    const call = { verb: request.method, path: request.url, operation: "", unknown: [], status: 0 };
    response.locals.call = call;
    response.on("finish", () => world.calls.push(Object.assign(call, { status: response.statusCode })));
    // `path` and `ref` may hold slashes and `path` may be empty, which templates of OpenAPI cannot say.
    const pattern = /^(\/repos\/[^/]+\/[^/]+\/(?:contents|git\/ref)\/)([^?]*)(.*)$/;
    const [, before, rest, query] = pattern.exec(request.url) ?? [];
    if (before) request.url = before + encodeURIComponent(decodeURIComponent(rest) || "/") + query;
    // A range in GitHub's documentation, one point in time in its description (github/rest-api-description#2542).
    request.url = request.url.replace("created=%3E%3D", "created=");
    next();
  });
  app.post("/graphql", async (request, response) => {
    const { query, variables } = request.body;
    const answer = await graphql({ schema, source: query, rootValue, variableValues: variables });
    response.locals.call.operation = answer.errors ? "" : "graphql";
    response.json(answer);
  });
};

const organizations = [{ login: owner }];
const repositories = [{ id: world.repository.id, name, owner, full_name: `${owner}/${name}` }];
const initialState = { users: [], organizations, repositories, branches: [], blobs: [] };
const running = await simulation({ initialState, extend: { openapiHandlers, extendRouter } }).listen(0, "127.0.0.1");
console.log(running.port);

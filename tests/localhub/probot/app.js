// Greets a pull request with a check, a review on its first changed line and a comment; merges it on "/merge".
export default (app) => {
  app.on("pull_request.opened", async (context) => {
    const { owner, repo, pull_number } = context.pullRequest();
    const head_sha = context.payload.pull_request.head.sha;
    const files = await context.octokit.paginate(context.octokit.rest.pulls.listFiles, { owner, repo, pull_number, per_page: 2 });
    const check = await context.octokit.rest.checks.create({ owner, repo, head_sha, name: "probot", status: "in_progress" });
    await context.octokit.rest.pulls.createReview({
      owner, repo, pull_number, commit_id: head_sha, event: "COMMENT", body: "Read it.",
      comments: [{ path: files[0].filename, line: 1, side: "RIGHT", body: "The first line." }],
    });
    await context.octokit.rest.checks.update({
      owner, repo, check_run_id: check.data.id, conclusion: "success",
      output: { title: "Read", summary: `${files.length} files` },
    });
    await context.octokit.rest.issues.createComment(context.issue({ body: `${files.length} files by ${context.payload.sender.login}` }));
  });

  app.on("issue_comment.created", async (context) => {
    if (context.isBot || context.payload.comment.body !== "/merge") return;
    const { owner, repo, issue_number } = context.issue();
    const pull = await context.octokit.rest.pulls.get({ owner, repo, pull_number: issue_number });
    const threads = await context.octokit.graphql(
      `query($owner: String!, $repo: String!, $number: Int!) { repository(owner: $owner, name: $repo) {
        pullRequest(number: $number) { reviewThreads(first: 10) { nodes { id } } } } }`,
      { owner, repo, number: issue_number });
    for (const { id } of threads.repository.pullRequest.reviewThreads.nodes) {
      await context.octokit.graphql(
        "mutation($id: ID!) { resolveReviewThread(input: { threadId: $id }) { thread { isResolved } } }", { id });
    }
    await context.octokit.rest.pulls.merge({ owner, repo, pull_number: issue_number, sha: pull.data.head.sha });
  });
};

"""The little of GitHub's GraphQL that bots cannot do by REST: review threads, and hiding comments.

An answer with errors has status 200, as on GitHub; look at `errors`.
"""

from __future__ import annotations

import base64
from typing import Any

import graphql

from localhub.model import Comment, Issue, Pull, Refused, Repo, Review, ReviewComment, Thread, at_least, node_id
from localhub.rest.core import Answer, Call, Operation
from localhub.rest.reviews import may_resolve

SCHEMA = graphql.build_schema("""
scalar DateTime
interface Node { id: ID! }
interface Actor { login: String! }
type User implements Actor { login: String! databaseId: Int }
type Bot implements Actor { login: String! databaseId: Int }
type Organization implements Actor { login: String! databaseId: Int }
type PageInfo { hasNextPage: Boolean! endCursor: String }
enum ReportedContentClassifiers { SPAM ABUSE OFF_TOPIC OUTDATED DUPLICATE RESOLVED }
enum DiffSide { LEFT RIGHT }
enum PullRequestState { OPEN CLOSED MERGED }

type PullRequestReviewComment implements Node {
  id: ID! databaseId: Int fullDatabaseId: String author: Actor body: String! path: String! createdAt: DateTime!
  isMinimized: Boolean! minimizedReason: String
}
type PullRequestReviewCommentConnection { nodes: [PullRequestReviewComment] totalCount: Int! pageInfo: PageInfo! }
type PullRequestReviewThread implements Node {
  id: ID! isResolved: Boolean! isOutdated: Boolean! isCollapsed: Boolean! viewerCanResolve: Boolean!
  viewerCanUnresolve: Boolean! resolvedBy: User path: String! line: Int originalLine: Int startLine: Int
  originalStartLine: Int diffSide: DiffSide!
  comments(first: Int, last: Int, after: String): PullRequestReviewCommentConnection!
}
type PullRequestReviewThreadConnection { nodes: [PullRequestReviewThread] totalCount: Int! pageInfo: PageInfo! }
type PullRequest implements Node {
  id: ID! databaseId: Int number: Int! title: String! state: PullRequestState! isDraft: Boolean! headRefOid: String!
  reviewThreads(first: Int, last: Int, after: String): PullRequestReviewThreadConnection!
}
type Issue implements Node { id: ID! databaseId: Int number: Int! title: String! }
type IssueComment implements Node {
  id: ID! databaseId: Int body: String! author: Actor isMinimized: Boolean! minimizedReason: String
}
type PullRequestReview implements Node { id: ID! databaseId: Int body: String! author: Actor }
type Repository implements Node {
  id: ID! databaseId: Int nameWithOwner: String! pullRequest(number: Int!): PullRequest
}
type Query { repository(owner: String!, name: String!): Repository node(id: ID!): Node viewer: User! }

input ResolveReviewThreadInput { threadId: ID! clientMutationId: String }
input UnresolveReviewThreadInput { threadId: ID! clientMutationId: String }
input MinimizeCommentInput { subjectId: ID! classifier: ReportedContentClassifiers! clientMutationId: String }
input UnminimizeCommentInput { subjectId: ID! clientMutationId: String }
interface Minimizable { isMinimized: Boolean! minimizedReason: String }
type MinimizedComment implements Minimizable { isMinimized: Boolean! minimizedReason: String }
type ResolveReviewThreadPayload { thread: PullRequestReviewThread clientMutationId: String }
type UnresolveReviewThreadPayload { thread: PullRequestReviewThread clientMutationId: String }
type MinimizeCommentPayload { minimizedComment: Minimizable clientMutationId: String }
type UnminimizeCommentPayload { unminimizedComment: Minimizable clientMutationId: String }
type Mutation {
  resolveReviewThread(input: ResolveReviewThreadInput!): ResolveReviewThreadPayload
  unresolveReviewThread(input: UnresolveReviewThreadInput!): UnresolveReviewThreadPayload
  minimizeComment(input: MinimizeCommentInput!): MinimizeCommentPayload
  unminimizeComment(input: UnminimizeCommentInput!): UnminimizeCommentPayload
}
""")

FORBIDDEN = "Resource not accessible by integration"
_KINDS = {"PRRT": Thread, "PRRC": ReviewComment, "IC": Comment, "PR": Pull, "PRR": Review, "R": Repo, "I": Issue}


def fail(kind: str, message: str) -> graphql.GraphQLError:
    """An error with GitHub's `type`, which stands beside the message."""
    error = graphql.GraphQLError(message)
    error.type = kind  # type: ignore[attr-defined]
    return error


def thread_node(thread: Thread) -> str:
    return node_id("PRRT", thread.id)


class Root:
    """Resolves queries and mutations for one call. Objects are plain dictionaries, shaped when they are asked for."""

    def __init__(self, call: Call) -> None:
        self.call, self.hub = call, call.hub

    # Shapes

    def _actor(self, who: Any) -> dict[str, Any]:
        return {
            "__typename": who.type,
            "login": who.login.removesuffix("[bot]") if who.type == "Bot" else who.login,
            "databaseId": who.id,
        }

    def _comment(self, it: ReviewComment | Comment) -> dict[str, Any]:
        kind, name = ("PRRC", "PullRequestReviewComment") if isinstance(it, ReviewComment) else ("IC", "IssueComment")
        return {
            "__typename": name,
            "id": node_id(kind, it.id),
            "databaseId": it.id,
            "fullDatabaseId": str(it.id),
            "author": self._actor(it.user),
            "body": it.body,
            "createdAt": it.created_at.isoformat(),
            "path": it.thread.path if isinstance(it, ReviewComment) else "",
            "isMinimized": bool(it.minimized),
            "minimizedReason": it.minimized.lower() or None,
        }

    def _thread(self, it: Thread) -> dict[str, Any]:
        can = may_resolve(self.call, it.pull)
        return {
            "__typename": "PullRequestReviewThread",
            "id": thread_node(it),
            "isResolved": it.resolved,
            "isOutdated": it.outdated,
            "isCollapsed": it.resolved or it.outdated,
            "viewerCanResolve": can and not it.resolved,
            "viewerCanUnresolve": can and it.resolved,
            "resolvedBy": {"__typename": "User", "login": it.resolved_by.login, "databaseId": it.resolved_by.id}
            if it.resolved_by
            else None,
            "path": it.path,
            "line": it.line,
            "originalLine": it.original_line,
            "startLine": None,
            "originalStartLine": it.original_start_line,
            "diffSide": it.side,
            "comments": lambda info, **args: self._page([self._comment(one) for one in it.comments], **args),
        }

    def _pull(self, it: Pull) -> dict[str, Any]:
        return {
            "__typename": "PullRequest",
            "id": node_id("PR", it.id),
            "databaseId": it.id,
            "number": it.number,
            "title": it.issue.title,
            "state": "MERGED" if it.merged else it.issue.state.upper(),
            "isDraft": it.draft,
            "headRefOid": self.hub.faults.shown(("head", it.id), it.head),
            "reviewThreads": lambda info, **args: self._page([self._thread(one) for one in it.threads], **args),
        }

    def _page(
        self, items: list[Any], first: int | None = None, last: int | None = None, after: str | None = None
    ) -> Any:
        if first is None and last is None:
            raise fail(
                "MISSING_PAGINATION_BOUNDARIES", "You must provide a `first` or `last` value to properly paginate."
            )
        if max(first or 0, last or 0) > 100:
            raise fail(
                "EXCESSIVE_PAGINATION", "Requesting more than 100 records exceeds the `first` limit of 100 records."
            )
        total, start = len(items), int(base64.b64decode(after).decode()) if after else 0
        if first is None and last is not None:
            start, end = max(0, total - last), total
        else:
            end = min(total, start + (first or 0))
        cursor = base64.b64encode(str(end).encode()).decode()
        page = {"hasNextPage": end < total, "endCursor": cursor if items[start:end] else None}
        return {"nodes": items[start:end], "totalCount": total, "pageInfo": page}

    def _repo(self, it: Repo) -> dict[str, Any]:
        def pull(info: Any, number: int) -> Any:
            issue = it.issues.get(number)
            if issue is None or issue.pull is None:
                raise fail("NOT_FOUND", f"Could not resolve to a PullRequest with the number of {number}.")
            self._reading(it, "pull_requests")
            return self._pull(issue.pull)

        return {
            "__typename": "Repository",
            "id": node_id("R", it.id),
            "databaseId": it.id,
            "nameWithOwner": it.full_name,
            "pullRequest": pull,
        }

    # Rights

    def _reaches(self, repo: Repo) -> bool:
        from localhub import auth

        token = self.call.token
        assert token is not None
        return not repo.private or (
            auth.reaches(token, repo) if token.is_app else at_least(repo.role(token.user), "read")
        )

    def _reading(self, repo: Repo, permission: str) -> None:
        from localhub import auth

        token = self.call.token
        assert token is not None
        if token.is_app and auth.reaches(token, repo) and not auth.may(token, f"{permission}:read"):
            raise fail("FORBIDDEN", FORBIDDEN)

    def _find(self, node: str) -> Any:
        for repo in self.hub.repos.values():
            if not self._reaches(repo):
                continue
            if node == node_id("R", repo.id):
                return repo
            for issue in repo.issues.values():
                for comment in issue.comments:
                    if node == node_id("IC", comment.id):
                        return comment
                if pull := issue.pull:
                    if node == node_id("PR", pull.id):
                        return pull
                    for thread in pull.threads:
                        if node == thread_node(thread):
                            return thread
                        for each in thread.comments:
                            if node == node_id("PRRC", each.id):
                                return each
        raise fail("NOT_FOUND", f"Could not resolve to a node with the global id of '{node}'")

    # Fields

    def repository(self, info: Any, owner: str, name: str) -> Any:
        found = self.hub.find_repo(f"{owner}/{name}")
        if found is None or not self._reaches(found):
            raise fail("NOT_FOUND", f"Could not resolve to a Repository with the name '{owner}/{name}'.")
        return self._repo(found)

    def node(self, info: Any, id: str) -> Any:
        found = self._find(id)
        if isinstance(found, Repo):
            return self._repo(found)
        if isinstance(found, Pull):
            self._reading(found.repo, "pull_requests")
            return self._pull(found)
        return self._thread(found) if isinstance(found, Thread) else self._comment(found)

    def viewer(self, info: Any) -> Any:
        return self._actor(self.call.user) | {"__typename": "User", "login": self.call.user.login}

    def _resolvable(self, node: str) -> Thread:
        found = self._find(node)
        if not isinstance(found, Thread):
            raise fail(
                "NOT_FOUND", f"Could not resolve to PullRequestReviewThread node with the global id of '{node}'."
            )
        if not may_resolve(self.call, found.pull):
            raise fail("FORBIDDEN", FORBIDDEN)
        return found

    def resolveReviewThread(self, info: Any, input: dict[str, Any]) -> Any:
        thread = self._resolvable(input["threadId"])
        thread.resolved_by = thread.resolved_by or self.call.user
        return {"thread": self._thread(thread), "clientMutationId": input.get("clientMutationId")}

    def unresolveReviewThread(self, info: Any, input: dict[str, Any]) -> Any:
        thread = self._resolvable(input["threadId"])
        thread.resolved_by = None
        return {"thread": self._thread(thread), "clientMutationId": input.get("clientMutationId")}

    def _minimize(self, node: str, classifier: str) -> dict[str, Any]:
        found, token = self._find(node), self.call.token
        if not isinstance(found, ReviewComment | Comment):
            raise fail("NOT_FOUND", f"Could not resolve to a node with the global id of '{node}'")
        repo = found.thread.pull.repo if isinstance(found, ReviewComment) else found.issue.repo
        assert token is not None
        from localhub import auth

        need = "pull_requests:write" if isinstance(found, ReviewComment) else "issues:write|pull_requests:write"
        if token.is_app:
            allowed = auth.reaches(token, repo) and auth.may(token, need)
        else:
            allowed = found.user is token.user or at_least(repo.role(token.user), "write")
        if not allowed:
            raise fail("FORBIDDEN", FORBIDDEN)
        found.minimized = classifier
        return {
            "__typename": "MinimizedComment",
            "isMinimized": bool(classifier),
            "minimizedReason": classifier.lower() or None,
        }

    def minimizeComment(self, info: Any, input: dict[str, Any]) -> Any:
        return {"minimizedComment": self._minimize(input["subjectId"], input["classifier"])}

    def unminimizeComment(self, info: Any, input: dict[str, Any]) -> Any:
        return {"unminimizedComment": self._minimize(input["subjectId"], "")}


def handle(call: Call) -> Any:
    if call.token is None:
        raise Refused(401, "This endpoint requires you to be authenticated.")
    text = call.json.get("query")
    if not isinstance(text, str):
        raise Refused(400, "A query attribute must be specified and must be a string.")
    result = graphql.graphql_sync(
        SCHEMA,
        text,
        root_value=Root(call),
        variable_values=call.json.get("variables") or {},
        operation_name=call.json.get("operationName"),
    )
    body: dict[str, Any] = {"data": result.data}
    if result.errors:
        body["errors"] = [_error(error) for error in result.errors]
    return Answer(200, body)


def _error(error: graphql.GraphQLError) -> dict[str, Any]:
    shown: dict[str, Any] = {"message": error.message}
    kind = getattr(error.original_error, "type", None) or getattr(error, "type", None)
    if kind:
        shown = {"type": kind, **shown}
    elif error.original_error:
        raise error.original_error  # ours, not the caller's
    if error.path:
        shown["path"] = error.path
    shown["locations"] = [{"line": place.line, "column": place.column} for place in error.locations or []]
    return shown


OPERATION = Operation("POST", "/graphql", handle, "metadata:read", "read", "anyone")

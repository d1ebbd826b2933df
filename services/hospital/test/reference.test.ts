import { setUp } from "@lango/testkit/set-up";
import { expect, test } from "vitest";
import { openWard } from "./ward.ts";

const ward = setUp(openWard);

test("every route is described with the errors it can return", async () => {
	const { paths } = (await ward.call({ url: "/openapi.json" })).body as {
		paths: Record<string, Record<string, { responses: object }>>;
	};
	const described = Object.entries(paths)
		.filter(([path]) => path.startsWith("/api/"))
		.flatMap(([path, methods]) =>
			Object.entries(methods).map(([method, { responses }]) => [
				`${method} ${path}`,
				Object.keys(responses).sort().join(" "),
			]),
		);
	const all = "200 400 401 403 404 429 503";
	const made = "201 400 401 403 404 409 429 503";
	expect(Object.fromEntries(described)).toEqual({
		"delete /api/v1/platform/dead-letters/{id}": all.replace("200", "204"),
		"get /api/v1/platform/dead-letters": all.replace(" 404", ""),
		"post /api/v1/platform/dead-letters/{id}/redrive": all.replace("200", "202"),
		"get /api/v1/{tenant}/hospital/auth/me": all,
		"get /api/v1/{tenant}/hospital/config": all,
		"put /api/v1/{tenant}/hospital/config": all,
		"get /api/v1/{tenant}/hospital/roles": all,
		"post /api/v1/{tenant}/hospital/roles": made,
		"get /api/v1/{tenant}/hospital/roles/{code}": all,
		"patch /api/v1/{tenant}/hospital/roles/{code}": made.replace("201", "200"),
		"delete /api/v1/{tenant}/hospital/roles/{code}": made.replace("201", "204"),
		"get /api/v1/{tenant}/hospital/roles/{code}/assignments": all,
		"post /api/v1/{tenant}/hospital/roles/{code}/assignments": made,
		"delete /api/v1/{tenant}/hospital/roles/{code}/assignments/{id}": made.replace("201", "204"),
		"get /api/v1/{tenant}/hospital/permissions": all,
		"get /api/v1/{tenant}/hospital/users": all,
		"get /api/v1/{tenant}/hospital/api-keys": all,
		"post /api/v1/{tenant}/hospital/api-keys": made,
		"delete /api/v1/{tenant}/hospital/api-keys/{id}": all.replace("200", "204"),
		"get /api/v1/{tenant}/hospital/audit": all,
	});
});

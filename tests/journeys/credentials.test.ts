import { buildService } from "@lango/chassis";
import { openStand, type Stand } from "@lango/testkit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parts } from "../../tools/up.ts";
import { standSettings } from "./stand-settings.ts";

const token = "an access token (Authorization: Bearer <token>)";
/** A key is named with the purpose that the route needs. */
const key = /an API key for [a-z]+\.[a-z]+ \(X-API-Key: lk_<id>_<secret>\)/;

type Operation = { security?: Array<Record<string, string[]>> };
type Guarded = { method: string; url: string; isForKeys: boolean };

/** The guarded routes of a service, and whether they take API keys only. */
function guardedOf(document: object): Guarded[] {
	const { paths } = document as { paths: Record<string, Record<string, Operation>> };
	return Object.entries(paths).flatMap(([path, methods]) =>
		Object.entries(methods)
			.filter(([, { security = [] }]) => security.length > 0)
			.map(([method, { security = [] }]) => ({
				method: method.toUpperCase(),
				url: path.replaceAll(/\{\w+\}/g, "x"),
				isForKeys: !security.some((one) => "bearer" in one),
			})),
	);
}

describe.each(parts.services.map(({ service }) => service))("a 401 of $name", (service) => {
	let stand: Stand;
	beforeAll(async () => {
		const environment = standSettings(service.name);
		stand = await openStand({ service, build: buildService, environment });
	});
	afterAll(() => stand.close());

	test.each([
		["no credential", {}],
		["a bad access token", { authorization: "Bearer bad" }],
		["another scheme", { authorization: "Basic eDp5" }],
		["a bad API key", { "x-api-key": "bad" }],
	] as Array<[string, Record<string, string>]>)(
		"names the credential of the route: %s",
		async (_what, headers) => {
			const guarded = guardedOf(stand.built.app.swagger());
			expect(guarded.length).toBeGreaterThan(0);
			for (const { method, url, isForKeys } of guarded) {
				const { status, body } = await stand.call({ method, url, headers });
				const wanted = isForKeys ? expect.stringMatching(key) : expect.stringContaining(token);
				expect([status, body["error"]], `${method} ${url}`).toEqual([401, wanted]);
				if (isForKeys) expect(body["error"]).not.toContain(token);
			}
		},
	);
});

import { acrossTenants } from "@lango/postgres";
import { createTestDatabase, runTool, type TestDatabase } from "@lango/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { auth } from "../src/service.ts";

let database: TestDatabase;
beforeAll(async () => {
	database = await createTestDatabase({ name: "auth", sets: auth.migrations });
});
afterAll(() => database.drop());

const keys = async (words: string) => {
	const LANGO_KEY_ENCRYPTION_KEYS = `k1:${Buffer.alloc(32, 7).toString("base64")}`;
	const printed = await runTool(`keys ${words}`, {
		AUTH_DATABASE_URL: database.url,
		LANGO_KEY_ENCRYPTION_KEYS,
	});
	return printed.split("\n");
};

test("keys are made, listed, prepared for a change, and removed at once, each by one word, and each change is on record", {
	timeout: 60_000,
}, async () => {
	await keys("rotate");
	const first = await keys("list");
	expect(first).toHaveLength(2);
	for (const line of first) expect(line).toMatch(/^[\w-]{43} {2}(ES256|RS256) {2}active {3}since \d{4}-/);
	await keys("rotate");
	expect((await keys("list")).filter((line) => line.includes(" pending "))).toHaveLength(2);
	expect((await keys("rotate")).join(" ")).toContain("again eleven minutes after");
	const kid = first[0]?.split(" ")[0] ?? "";
	const after = await keys(`revoke ${kid}`);
	expect(after.join("\n")).not.toContain(kid);
	expect(after.filter((line) => line.includes(" active "))).toHaveLength(2);
	const recorded = await acrossTenants(database.db, (tx) =>
		tx.query("select action, subject, after->>'by' as by from audit_log order by position"),
	);
	expect(recorded).toEqual([
		{ action: "keys.rotated", subject: "signing_keys", by: "operator" },
		{ action: "keys.rotated", subject: "signing_keys", by: "operator" },
		{ action: "key.revoked", subject: kid, by: "operator" },
	]);
});

test.each(["nonsense", "revoke", "revoke no-such-key"])(
	"%s is refused, and the error names the command",
	async (words) => {
		await expect(keys(words)).rejects.toMatchObject({
			code: 1,
			stderr: expect.stringContaining("tools/keys.ts"),
		});
	},
);

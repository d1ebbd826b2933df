import { execFile } from "node:child_process";
import { join } from "node:path";
import { createTestDatabase, type TestDatabase } from "@lango/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { auth, foundPlatform } from "../src/service.ts";

let database: TestDatabase;
beforeAll(async () => {
	database = await createTestDatabase({ name: "auth", sets: auth.migrations });
});
afterAll(() => database.drop());

const root = join(import.meta.dirname, "../../..");
const founding = {
	slug: "gatekeepers",
	tenantName: "The Gatekeepers",
	email: "Zawadi@gate.example",
	name: "Zawadi Njenga",
	password: "a gate of one's own",
	now: new Date("2026-03-02T08:00:00Z"),
};

/** Runs the command as a deployment does: it has the service's address and no administrator's. */
function firstOwner(words: readonly string[], password: string): Promise<{ code: unknown; said: string }> {
	return new Promise((done) => {
		const env = {
			PATH: process.env["PATH"],
			NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"],
			NODE_ENV: "production",
			AUTH_DATABASE_URL: database.url,
			LANGO_PLATFORM_OWNER_SLUG: founding.slug,
		};
		const child = execFile(
			process.execPath,
			["tools/first-owner.ts", ...words],
			{ cwd: root, env },
			(error, stdout, stderr) => done({ code: error?.code ?? 0, said: stdout + stderr }),
		);
		child.stdin?.end(`${password}\n`);
	});
}

test.each([
	["a malformed address", { email: "zawadi" }, '"zawadi" is not an e-mail address.'],
	["an empty name", { name: "  " }, '"  " is not a valid name.'],
	["a weak password", { password: "password123" }, "too weak: it is one of the commonest"],
])("%s is refused, and nothing is made", async (_what, wrong, says) => {
	await expect(foundPlatform(database.db, { ...founding, ...wrong })).rejects.toThrow(says);
	const [counted] = await database.db.query("select (select count(*) from users) as users");
	expect(counted).toEqual({ users: 0n });
});

test("an operator creates the platform owner once, and the password is not shown", async () => {
	const words = ["--email", founding.email, "--name", founding.name, "--tenant-name", founding.tenantName];
	const made = await firstOwner(words, founding.password);
	expect(made).toMatchObject({ code: 0, said: expect.stringContaining("has its first superuser") });
	expect(made.said).not.toContain(founding.password);

	const people = await database.db.query("select email, email_verified from users");
	expect(people).toEqual([{ email: founding.email, email_verified: true }]);
	const events = await database.db.query<{ type: string }>("select type from outbox order by id");
	expect(events.map(({ type }) => type)).toEqual(["tenant.created", "auth.user.created"]);

	const again = await firstOwner(words, founding.password);
	expect(again).toEqual({
		code: 1,
		said: "The tenant gatekeepers already exists. Its superusers can invite others.\n",
	});
});

test("a registered address cannot own a second platform", async () => {
	await expect(foundPlatform(database.db, { ...founding, slug: "others" })).rejects.toThrow(
		"Zawadi@gate.example is already registered.",
	);
});

test("words that are missing are asked for", async () => {
	expect(await firstOwner([], "")).toEqual({ code: 1, said: expect.stringContaining("Usage:") });
});

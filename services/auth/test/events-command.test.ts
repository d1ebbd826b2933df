import { randomUUID } from "node:crypto";
import { acrossTenants, openPool, type Pool } from "@lango/postgres";
import { createTestDatabase, runTool, type TestDatabase } from "@lango/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { auth } from "../src/service.ts";

// what an operator does at a terminal about events that failed, and about events that are to be read again

let database: TestDatabase;
let owner: Pool;
beforeAll(async () => {
	database = await createTestDatabase({ name: "auth", sets: auth.migrations });
	owner = openPool({ url: database.ownerUrl, name: "test", sizeMax: 1 });
});
afterAll(async () => {
	await owner.close();
	await database.drop();
});

/** Each command starts a process of its own. */
const patient = { timeout: 60_000 };
const command = (words: string) => runTool(words, { AUTH_DATABASE_URL: database.url });

/** Lays an event among the dead letters as the inbox does after its last try. */
async function die(subject: string): Promise<string> {
	const [row] = await owner.query<{ position: bigint }>(
		`insert into deliveries (consumer, event_id, type, subject, body, received_at, attempts, is_held, reason, dead_at)
		 values ('auth', $1, 'subscription.entitlements_changed', $2, '{}', now(), 10, true, 'it is broken', now())
		 returning position`,
		[randomUUID(), subject],
	);
	return String(row?.position);
}
/** The tenant of entries about the platform. */
const platform = "00000000-0000-0000-0000-000000000000";
const recorded = () =>
	acrossTenants(database.db, (tx) =>
		tx.query("select action, subject, actor_user_id, after, tenant_id from audit_log order by position"),
	);

test(
	"a dead letter is listed with its reason, retried by its id, or discarded; both are in the audit log",
	patient,
	async () => {
		const subject = randomUUID();
		const [first, second] = [await die(subject), await die(randomUUID())];
		const lines = (await command("dead-letters auth list")).split("\n");
		expect(lines).toHaveLength(2);
		expect(lines[0]).toMatch(
			new RegExp(
				`^${first} {2}subscription\\.entitlements_changed {2}${subject} {2}since \\d{4}-\\S+Z {2}10 attempts, 0 waiting behind it: it is broken$`,
			),
		);
		expect(await command(`dead-letters auth redrive ${first}`)).toBe("It will be retried within a second.");
		expect(await command(`dead-letters auth discard ${second}`)).toBe("Discarded.");
		expect(await command("dead-letters auth list")).toBe("There are no dead letters.");
		const left = await owner.query("select position::text, attempts, dead_at from deliveries");
		expect(left).toEqual([{ position: first, attempts: 0, dead_at: null }]);
		const row = { actor_user_id: null, tenant_id: platform };
		const detail = {
			by: "operator",
			type: "subscription.entitlements_changed",
			reason: "it is broken",
			waiting: 0,
		};
		expect(await recorded()).toMatchObject([
			{ ...row, action: "dead_letter.redriven", subject: first, after: { ...detail, subject } },
			{ ...row, action: "dead_letter.discarded", subject: second, after: detail },
		]);
	},
);

/** Lays an event into the outbox as the relay leaves it when the bus has refused it. */
async function refuse(subject: string, isTried = true): Promise<string> {
	const envelope = {
		specversion: "1.0",
		id: randomUUID(),
		source: "/auth",
		type: "auth.user.deleted",
		time: "2026-03-01T12:00:00.000Z",
		subject,
		datacontenttype: "application/json",
		data: {},
	};
	const [row] = await owner.query<{ position: bigint }>(
		`insert into outbox (type, subject, envelope, attempts, next_attempt_at)
		 values ('auth.user.deleted', $1, $2, $3::boolean::int * 7, case when $3 then now() + interval '1 minute' end)
		 returning position`,
		[subject, envelope, isTried],
	);
	return String(row?.position);
}

test(
	"an event that the bus refuses is listed with the number waiting behind it, and discarded by its id, which is in the audit log",
	patient,
	async () => {
		const subject = randomUUID();
		const [refused, behind] = [await refuse(subject), await refuse(subject, false)];
		expect(await command("refused-events auth list")).toBe(
			`${refused}  auth.user.deleted  ${subject}  of 2026-03-01T12:00:00.000Z  refused 7 times, 1 waiting behind it`,
		);
		expect(await command(`refused-events auth discard ${refused}`)).toBe(
			"Discarded. The events behind it are published within a second.",
		);
		expect(await owner.query("select position::text from outbox")).toEqual([{ position: behind }]);
		expect((await recorded()).at(-1)).toMatchObject({
			actor_user_id: null,
			tenant_id: platform,
			action: "refused_event.discarded",
			subject: refused,
			after: { by: "operator", type: "auth.user.deleted", subject, attempts: 7 },
		});
	},
);

test(
	"streams are read again from a moment, or from the beginning; with --again effects happen twice",
	patient,
	async () => {
		const eventId = "0190a5c0-0000-7000-8000-000000000000";
		await owner.query(
			`insert into readings (consumer, stream, types, sequence) values ('auth', 'SUBSCRIPTION', '{}', 7)`,
		);
		await owner.query(
			"insert into inbox (event_id, consumer, applied_at, seen_at) values ($1, 'auth', now(), now())",
			[eventId],
		);
		const applied = () => owner.query("select from inbox where event_id = $1", [eventId]);
		const from = () => owner.query("select replay_from from readings");
		const since = "2026-03-01T12:00:00.000Z";
		expect(await command(`replay auth --since ${since}`)).toBe("auth reads 1 stream again within seconds.");
		expect(await from()).toEqual([{ replay_from: new Date(since) }]);
		expect(await applied()).toHaveLength(1);
		await command("replay auth --again");
		expect(await from()).toEqual([{ replay_from: new Date(0) }]);
		expect(await applied()).toEqual([]);
	},
);

test("everything is announced again by one command, which the audit log records", patient, async () => {
	expect(await command("announce-all")).toBe(
		"auth announces 0 tenants, 0 outlets and 0 people as soon as it runs.",
	);
	expect((await recorded()).at(-1)).toMatchObject({
		action: "events.announced",
		after: { by: "operator", tenants: 0, outlets: 0, users: 0 },
	});
});

test.each([
	"refused-events auth discard",
	"refused-events auth discard 1000",
	"replay auth --since yesterday",
])("%s is refused, and the error names the command", patient, async (words) => {
	const [tool] = words.split(" ");
	await expect(command(words)).rejects.toMatchObject({
		code: 1,
		stderr: expect.stringContaining(`node tools/${tool}.ts`),
	});
});

test("replay nonsense names the services there are", patient, async () => {
	await expect(command("replay nonsense")).rejects.toMatchObject({
		code: 1,
		stderr: expect.stringMatching(/There is no service "nonsense"; there are auth, /),
	});
});

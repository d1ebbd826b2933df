import { authUserCreated, authUserDeleted } from "@lango/contracts";
import {
	defineConsumer,
	erasePersonFromEvents,
	inProcessTransport,
	listDeadLetters,
	recordEvent,
	startConsumers,
} from "@lango/events";
import { type Database, openPool } from "@lango/postgres";
import type { TestDatabase } from "@lango/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTrialDatabase, effectsOf, event, noting } from "./trial.ts";

let database: TestDatabase;
let db: Database;
beforeAll(async () => {
	database = await createTrialDatabase();
	db = database.db;
});
afterAll(() => database.drop());

const erased = "0197a000-0000-7000-8000-0000000000e0";
const other = "0197a000-0000-7000-8000-0000000000e1";
const person = (user_id: string) => ({
	user_id,
	email: `${user_id.slice(-2)}@uhai.example`,
	name: "Amina",
	roles: ["staff"],
	status: "active",
});

test("the events a service tells lose address and name of an erased person, and of nobody else, and fit their contract", async () => {
	const now = new Date();
	for (const id of [erased, other])
		await recordEvent(db, authUserCreated, { subject: id, now, data: person(id) });
	await db.query("update outbox set published_at = now() where position = 1");
	await recordEvent(db, authUserCreated, { subject: erased, now, data: person(erased) });
	await db.transaction((tx) => erasePersonFromEvents(tx, erased));
	const nobody = { ...person(erased), email: "erased@erased.invalid", name: "" };
	expect(await db.query("select envelope->'data' as data from outbox order by position")).toEqual([
		{ data: nobody },
		{ data: person(other) },
		{ data: nobody },
	]);
});

test("of a large outbox only what is told of people is looked through", async () => {
	const large = await createTrialDatabase();
	try {
		await recordEvent(large.db, authUserCreated, { subject: erased, now: new Date(), data: person(erased) });
		const owner = openPool({ url: large.ownerUrl, name: "owner" });
		await owner.query(
			`insert into outbox (type, subject, envelope) select 'order.placed', n, jsonb_build_object('data', jsonb_build_object('n', n)) from generate_series(1, 20000) n`,
		);
		await owner.query("analyze outbox");
		await owner.close();
		await large.db.transaction(async (tx) => {
			await erasePersonFromEvents(tx, erased);
			const looks = await tx.query(
				"select seq_scan::integer, idx_scan > 0 as is_found from pg_stat_xact_user_tables where relname = 'outbox'",
			);
			expect(looks).toEqual([{ seq_scan: 0, is_found: true }]);
		});
		const [told] = await large.db.query(
			"select envelope->'data'->>'name' as name from outbox order by position limit 1",
		);
		expect(told).toEqual({ name: "" });
	} finally {
		await large.drop();
	}
});

test("once auth.user.deleted is applied, what waits and what is dead holds nothing personal, and what waits still has its effect", async () => {
	let isBroken = true;
	const seen: unknown[] = [];
	const transport = inProcessTransport();
	const consumers = [
		noting("pos", async ({ data }) => {
			if (isBroken) throw new Error("not yet");
			seen.push(data);
		}),
		defineConsumer(authUserCreated, async () => undefined),
		defineConsumer(authUserDeleted, async () => undefined),
	];
	const common = { service: "pos", db, transport, consumers, onError: () => {}, intervalMs: 20 };
	const { stop } = await startConsumers(common);
	await transport.publish(event(1, "order", { data: { n: 1, ...person(erased) } }));
	const unfit = { ...person(erased), roles: "staff" };
	await transport.publish(event(0, erased, { type: authUserCreated.type, data: unfit }));
	const garbage = { ...event(0, "x"), id: "none", data: person(erased) };
	await transport.publish(garbage);
	await expect
		.poll(async () => (await listDeadLetters(db, common)).items.length, { timeout: 10_000 })
		.toBe(2);
	const deleted = { type: authUserDeleted.type, data: { user_id: erased, version: 1 } };
	await transport.publish(event(0, erased, deleted));
	const personal = () =>
		db.query("select from deliveries where position(convert_to('e0@uhai.example', 'UTF8') in body) > 0");
	await expect.poll(personal, { timeout: 10_000 }).toEqual([]);
	expect(await db.query("select from deliveries")).toHaveLength(3);
	isBroken = false;
	await expect.poll(() => effectsOf(db, "pos"), { timeout: 15_000 }).toEqual({ order: [1] });
	expect(seen).toEqual([{ n: 1, ...person(erased), email: "erased@erased.invalid", name: "" }]);
	await stop();
});

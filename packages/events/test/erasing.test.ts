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
import { setUp } from "@lango/testkit/set-up";
import { beforeAll, expect, test } from "vitest";
import { createTrialDatabase, effectsOf, event, noting } from "./trial.ts";

const database = setUp(createTrialDatabase, ({ drop }) => drop());
let db: Database;
beforeAll(async () => {
	db = database.db;
});

const erased = "0197a000-0000-7000-8000-0000000000e0";
const other = "0197a000-0000-7000-8000-0000000000e1";
const person = (user_id: string) => ({
	user_id,
	email: `${user_id.slice(-2)}@uhai.example`,
	name: "Amina",
	roles: ["staff"],
	status: "active",
});

test("the published events of a service lose address and name of the erased person only, and still match their contracts", async () => {
	const now = new Date();
	for (const id of [erased, other])
		await recordEvent(db, authUserCreated, { subject: id, now, data: person(id) });
	await db.query("update outbox set published_at = now() where position = 1");
	await recordEvent(db, authUserCreated, { subject: erased, now, data: person(erased) });
	await db.transaction((tx) => erasePersonFromEvents(tx, erased));
	const anonymous = { ...person(erased), email: "erased@erased.invalid", name: "" };
	expect(await db.query("select envelope->'data' as data from outbox order by position")).toEqual([
		{ data: anonymous },
		{ data: person(other) },
		{ data: anonymous },
	]);
});

test("only the events about people are searched in a large outbox", async () => {
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
		const [row] = await large.db.query(
			"select envelope->'data'->>'name' as name from outbox order by position limit 1",
		);
		expect(row).toEqual({ name: "" });
	} finally {
		await large.drop();
	}
});

test("after auth.user.deleted, waiting and dead events contain no personal data, and the waiting ones are still applied", async () => {
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
	await expect.poll(async () => (await listDeadLetters(db, common)).items.length).toBe(2);
	const deleted = { type: authUserDeleted.type, data: { user_id: erased, version: 1 } };
	await transport.publish(event(0, erased, deleted));
	const personal = () =>
		db.query("select from deliveries where position(convert_to('e0@uhai.example', 'UTF8') in body) > 0");
	await expect.poll(personal).toEqual([]);
	expect(await db.query("select from deliveries")).toHaveLength(3);
	isBroken = false;
	await expect.poll(() => effectsOf(db, "pos")).toEqual({ order: [1] });
	expect(seen).toEqual([{ n: 1, ...person(erased), email: "erased@erased.invalid", name: "" }]);
	await stop();
});

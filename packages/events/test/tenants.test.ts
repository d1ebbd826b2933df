import { type Consumer, defineConsumer, inProcessTransport, startConsumers } from "@lango/events";
import { type Database, inTenant } from "@lango/postgres";
import { setUp } from "@lango/testkit/set-up";
import { beforeAll, expect, test } from "vitest";
import { bySubject, counted, createTrialDatabase, event } from "./trial.ts";

const database = setUp(createTrialDatabase, ({ drop }) => drop());
let db: Database;

beforeAll(async () => {
	db = database.db;
});

const tenants = ["0197a000-0000-7000-8000-00000000000a", "0197a000-0000-7000-8000-00000000000b"];
const subjectsEach = 12;
const countsEach = 4;

test("many events of several tenants share transactions, each with one tenant, and keep their order", async () => {
	const transactions = new Map<string, Set<string>>();
	const { promise: opened, resolve: open } = Promise.withResolvers<void>();
	const noting: Consumer = defineConsumer(counted, async (tx, { tenantid = "", subject, data }) => {
		await opened;
		await inTenant(tx, tenantid, async (mine) => {
			const [row] = await mine.query<{ id: string }>(
				`with noted as (insert into effects (consumer, subject, n) values ('pos', $1, $2))
				 select pg_current_xact_id()::text as id`,
				[subject, data.n],
			);
			transactions.set(row?.id ?? "", (transactions.get(row?.id ?? "") ?? new Set()).add(tenantid));
		});
	});
	const errors: unknown[] = [];
	const onError = (error: unknown) => void errors.push(error);
	const transport = inProcessTransport();
	const common = { service: "pos", db, transport, onError, consumers: [noting], intervalMs: 20 };
	const { stop } = await startConsumers({ ...common, effectsAtOnce: 1 });
	const expected: Record<string, number[]> = {};
	for (let n = 1; n <= countsEach; n += 1)
		for (let subject = 0; subject < subjectsEach; subject += 1)
			for (const [place, tenantid] of tenants.entries()) {
				const name = `${place}-${subject}`;
				expected[name] = [...(expected[name] ?? []), n];
				await transport.publish(event(n, name, { tenantid }));
			}
	open();
	const effects = async () =>
		bySubject(await db.query("select subject, n from effects where consumer = 'pos' order by position"));
	await expect.poll(effects).toEqual(expected);
	await stop();
	expect([...transactions.values()].every((ofOne) => ofOne.size === 1)).toBe(true);
	expect(transactions.size).toBeLessThan((tenants.length * subjectsEach * countsEach) / 2);
	expect(errors).toEqual([]);
});

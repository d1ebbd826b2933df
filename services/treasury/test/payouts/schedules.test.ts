import { inTenant } from "@lango/postgres";
import { setUp } from "@lango/testkit/set-up";
import fc from "fast-check";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { switchHalt } from "../../src/halts/halt.store.ts";
import { listPayouts } from "../../src/payouts/payout.store.ts";
import { makeAvailable, openPaying, people } from "./paying.ts";

const till = setUp(openPaying);
const tenantId = () => till.tenants.uhai.id;
const dayMs = 86_400_000;

/** The day by the wall clock of a zone, six hours before: computed without the database. */
function dayBy(zone: string, at: Date): Date {
	const format = new Intl.DateTimeFormat("en-CA", {
		...{
			timeZone: zone,
			hourCycle: "h23",
			year: "numeric",
			month: "2-digit",
			day: "2-digit",
			hour: "2-digit",
		},
	});
	const part = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, value]));
	const day = new Date(`${part["year"]}-${part["month"]}-${part["day"]}T00:00:00Z`);
	return Number(part["hour"]) >= 6 ? day : new Date(day.getTime() - dayMs);
}
const mondayOf = (day: Date) => new Date(day.getTime() - ((day.getUTCDay() + 6) % 7) * dayMs);
const textOf = (day: Date) => day.toISOString().slice(0, 10);

const zones = [
	...["Africa/Nairobi", "UTC", "Europe/Berlin", "America/New_York", "America/St_Johns", "Asia/Kathmandu"],
	...["Pacific/Kiritimati", "Pacific/Pago_Pago", "Australia/Lord_Howe", "Africa/Cairo"],
];

test("the day and the week of a schedule begin at 06:00 of the tenant, weeks on Monday, in every zone and on days when clocks change", async () => {
	const instant = fc.date({
		min: new Date("2024-01-01T00:00:00Z"),
		max: new Date("2030-12-31T00:00:00Z"),
		noInvalidDate: true,
	});
	const samples = fc.sample(fc.tuple(fc.constantFrom(...zones), instant), 3_000);
	const rows = await till.database.db.query<{ daily: string; weekly: string }>(
		`select payout_period('daily', zone, at)::text as daily, payout_period('weekly', zone, at)::text as weekly
		   from unnest($1::text[], $2::timestamptz[]) with ordinality s (zone, at, n) order by n`,
		[samples.map(([zone]) => zone), samples.map(([, at]) => at)],
	);
	expect(rows).toEqual(
		samples.map(([zone, at]) => {
			const day = dayBy(zone, at);
			return { daily: textOf(day), weekly: textOf(mondayOf(day)) };
		}),
	);
});

let recipient_id: string;

beforeEach(async () => {
	till.clock.now = undefined;
	recipient_id ??= await till.addRecipient();
	await till.database.db.query("update tenants set time_zone = 'Africa/Nairobi' where id = $1", [tenantId()]);
});

const choose = async (schedule: string, minimum_minor = 0) => {
	const body = { recipient_id, schedule: "manual", minimum_minor };
	await till.ask("PUT", "/payout-config", { body });
	const chosen = await till.ask("PUT", "/payout-config", { body: { ...body, schedule } });
	expect(chosen.status).toBe(200);
};
/** 06:00 in Nairobi, on a day after today. */
const sixAt = (day: Date) => new Date(day.getTime() + dayMs / 8);
const tomorrow = () => new Date(dayBy("Africa/Nairobi", new Date()).getTime() + dayMs);
/** Days of their own: a payout is asked for once for each day. */
const daysAfter = (days: number) => new Date(tomorrow().getTime() + days * dayMs);
const nextMonday = () => new Date(mondayOf(dayBy("Africa/Nairobi", new Date())).getTime() + 7 * dayMs);

/** Lets the schedule run at an instant. Returns the amounts that it asked for. */
async function runAt(at: Date): Promise<bigint[]> {
	const list = () =>
		inTenant(till.database.db, tenantId(), (tx) =>
			listPayouts(tx, { status: undefined, batchId: undefined, after: undefined, limit: 100 }),
		);
	const known = new Set((await list()).map(({ id }) => id));
	till.clock.now = at;
	await till.service.jobs.run("payouts.schedule.sweep");
	await till.service.jobs.runDue();
	const added = (await list()).filter(({ id }) => !known.has(id));
	expect(added.map(({ createdBy }) => createdBy)).toEqual(
		added.map(() => ({ kind: "user", id: people.maker })),
	);
	return added.map(({ grossMinor }) => grossMinor);
}
const add = (amountMinor: bigint) => makeAvailable(till.database.db, tenantId(), { amountMinor });

test("a daily schedule asks for all that is available, once from 06:00 of the next day, also if nothing ran at 06:00", async () => {
	await choose("daily");
	await add(70_000n);
	expect(await runAt(new Date())).toEqual([]);
	const six = sixAt(tomorrow());
	expect(await runAt(new Date(six.getTime() - 1))).toEqual([]);
	expect(await runAt(six)).toEqual([70_000n]);
	await add(30_000n);
	expect(await runAt(new Date(six.getTime() + dayMs / 2))).toEqual([]);
	expect(await runAt(new Date(six.getTime() + 3.5 * dayMs))).toEqual([30_000n]);
});

test("a weekly schedule asks on Monday; what is below the minimum then waits for the next Monday", async () => {
	await choose("weekly", 50_000);
	await add(40_000n);
	const monday = sixAt(nextMonday());
	expect(await runAt(new Date(monday.getTime() - 1))).toEqual([]);
	expect(await runAt(monday)).toEqual([]);
	await add(20_000n);
	expect(await runAt(new Date(monday.getTime() + 6 * dayMs))).toEqual([]);
	expect(await runAt(new Date(monday.getTime() + 7 * dayMs))).toEqual([60_000n]);
});

test("without a schedule nothing is asked for; while payouts are halted it stays due, and is asked for afterwards", async () => {
	await choose("manual");
	await add(10_000n);
	expect(await runAt(sixAt(daysAfter(40)))).toEqual([]);
	till.clock.now = undefined;
	await choose("daily");
	const halt = (isOn: boolean) =>
		switchHalt(
			till.database.db,
			{
				...{ scope: "payouts", tenantId: undefined, isOn, because: "A test" },
				...{ setBy: "operator", setAt: new Date() },
			},
			async () => {},
		);
	await halt(true);
	expect(await runAt(sixAt(daysAfter(40)))).toEqual([]);
	await halt(false);
	expect(await runAt(new Date(sixAt(daysAfter(40)).getTime() + 3_600_000))).toEqual([10_000n]);
});

test("nothing is asked for while the tenant is suspended", async () => {
	await choose("daily");
	await add(10_000n);
	const setStatus = (status: string) =>
		till.database.db.query("update tenants set status = $2 where id = $1", [tenantId(), status]);
	await setStatus("suspended");
	expect(await runAt(sixAt(daysAfter(50)))).toEqual([]);
	await setStatus("active");
	expect(await runAt(sixAt(daysAfter(50)))).toEqual([10_000n]);
});

test("a schedule asks for no more than the limit of the day: the rest waits for the next day", async () => {
	const limitTo = async (daily_payout_minor: number) => {
		till.clock.now = undefined;
		const body = { settings: { daily_payout_minor } };
		expect((await till.operate("PUT", "/gateways/card-gateway", { body })).status).toBe(200);
	};
	await limitTo(50_000);
	onTestFinished(() => limitTo(100_000_000));
	await choose("daily");
	await add(120_000n);
	expect(await runAt(sixAt(daysAfter(60)))).toEqual([50_000n]);
	const again = await till.ask("POST", "/payouts", { body: { rail: "card_gateway" } });
	expect(again).toMatchObject({ status: 409, body: { code: "daily_limit_reached" } });
	expect(await runAt(sixAt(daysAfter(61)))).toEqual([50_000n]);
	expect(await runAt(sixAt(daysAfter(62)))).toEqual([20_000n]);
});

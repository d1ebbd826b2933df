import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { codeOf, openDesk, setUpDesk, until } from "./desk.ts";

const { service, desk } = setUpDesk();

type Paid = {
	id: string;
	status: string;
	kind: string;
	plan: string;
	amount_minor: number;
	failure: string | null;
};
type Paged = { items: Paid[]; next_cursor: string | null; total?: number };
const payments = async (query = "") => (await desk.ask("GET", `/payments${query}`)).body as Paged;
const billing = async () => (await desk.ask("GET", "/billing")).body;
const becomes = (status: string) => until(async () => (await payments()).items[0]?.status === status);
const preview = (plan: string) => desk.ask("GET", `/checkout?plan=${plan}`);

test("a checkout in a trial is previewed with its price and a month from the trial's end", async () => {
	await desk.ask("POST", "", { plan: "STARTER" });
	const shown = await preview("GROWTH");
	expect(shown).toMatchObject({
		status: 200,
		body: {
			plan: "GROWTH",
			interval: "month",
			amount_minor: 450_000,
			balance_minor: 0,
			lines: [{ what: "plan", code: "GROWTH", amount_minor: 450_000 }],
			starts_at: "2026-03-15T12:00:00.000Z",
			ends_at: "2026-04-15T12:00:00.000Z",
		},
	});
	expect(await payments()).toEqual({ items: [], next_cursor: null });
	const requested = await desk.ask("POST", "/checkout", { plan: "GROWTH" });
	expect(requested.body["amount_minor"]).toBe(shown.body["amount_minor"]);
	await becomes("paid");
	expect(await billing()).toMatchObject({
		plan: "GROWTH",
		price_minor: 450_000,
		period_started_at: "2026-03-15T12:00:00.000Z",
		period_ends_at: "2026-04-15T12:00:00.000Z",
		cancelled_at: null,
		next_period: { plan: "GROWTH", interval: "month", amount_minor: 450_000 },
		open_payment_id: null,
	});
	expect(codeOf(await preview("GROWTH"))).toEqual([409, "nothing_to_pay"]);
});

test("an unanswered payment is shown as requested, and after its withdrawal as withdrawn", async () => {
	await desk.ask("POST", "", { plan: "STARTER" });
	await desk.answers("silent");
	const { body } = await desk.ask("POST", "/checkout", { plan: "STARTER" });
	const id = String(body["operation_id"]);
	expect(await billing()).toMatchObject({ open_payment_id: id });
	expect(await desk.ask("GET", `/payments/${id}`)).toMatchObject({
		status: 200,
		body: {
			id,
			kind: "checkout",
			status: "requested",
			plan: "STARTER",
			amount_minor: 150_000,
			settled_at: null,
		},
	});
	await desk.ask("DELETE", "/pending-change");
	expect(await payments()).toMatchObject({ items: [{ id, status: "withdrawn", failure: null }] });
	expect(await billing()).toMatchObject({ open_payment_id: null });
});

test("a payment without an answer for a day is shown as unanswered", async () => {
	await desk.ask("POST", "", { plan: "STARTER" });
	await desk.answers("silent");
	await desk.ask("POST", "/checkout", { plan: "STARTER" });
	await desk.daysPass(2);
	expect(await payments()).toMatchObject({ items: [{ status: "unanswered", failure: null }] });
});

test("a refused payment is shown with the treasury's reason, and changes nothing", async () => {
	await desk.payFor("STARTER");
	await desk.answers("refuses");
	service.clock.now = new Date("2026-03-16T12:00:00Z");
	const { quote_id } = await desk.quote("GROWTH");
	await desk.ask("POST", "/change", { quote_id, mode: "now" });
	await becomes("refused");
	expect((await payments()).items).toMatchObject([
		{ kind: "change", plan: "GROWTH", status: "refused", failure: "refused_by_sandbox" },
		{ kind: "checkout", plan: "STARTER", status: "paid", failure: null },
	]);
	expect(await billing()).toMatchObject({ plan: "STARTER", open_payment_id: null });
});

test("a refused renewal is shown as withdrawn after a cancellation, and as requested with its reason before", async () => {
	await desk.payFor("STARTER");
	await desk.answers("refuses");
	expect(await desk.daysPass(33)).toMatchObject({ status: "PAST_DUE" });
	const [renewal] = (await payments()).items;
	expect(renewal).toMatchObject({ kind: "renewal", status: "requested", failure: "refused_by_sandbox" });
	await desk.ask("POST", "/cancel");
	expect((await payments()).items[0]).toMatchObject({ id: renewal?.id, status: "withdrawn", failure: null });
});

test("a scheduled change is the price of the next period, and a cancellation has its time", async () => {
	await desk.payFor("GROWTH");
	const { quote_id } = await desk.quote("STARTER");
	await desk.ask("POST", "/change", { quote_id, mode: "period_end", acknowledge: true });
	expect(await billing()).toMatchObject({
		plan: "GROWTH",
		next_period: { plan: "STARTER", amount_minor: 150_000 },
	});
	await desk.ask("POST", "/cancel");
	expect(await billing()).toMatchObject({ cancelled_at: "2026-03-15T12:00:00.000Z" });
});

test("payments are listed in pages, latest first, each once", async () => {
	await desk.payFor("STARTER");
	for (const plan of ["GROWTH", "PROFESSIONAL"]) {
		service.clock.now = new Date(service.clock.now.getTime() + 60_000);
		const { quote_id } = await desk.quote(plan);
		await desk.ask("POST", "/change", { quote_id, mode: "now" });
		await until(async () => (await desk.snapshot()).plan === plan);
	}
	const plans: string[] = [];
	let cursor: string | null = "";
	while (cursor !== null) {
		const page: Paged = await payments(`?limit=1&total=true${cursor && `&cursor=${cursor}`}`);
		expect(page.total).toBe(3);
		plans.push(...page.items.map(({ plan }) => plan));
		cursor = page.next_cursor;
	}
	expect(plans).toEqual(["PROFESSIONAL", "GROWTH", "STARTER"]);
});

test("another tenant's payment, an unknown one, and the billing of a tenant without a subscription are not found", async () => {
	const none = await desk.ask("GET", "/billing");
	expect(codeOf(none)).toEqual([404, "no_subscription"]);
	expect(codeOf(await preview("STARTER"))).toEqual([404, "no_subscription"]);
	await desk.payFor("STARTER");
	const [payment] = (await payments()).items;
	const other = openDesk(service);
	expect(codeOf(await other.ask("GET", `/payments/${payment?.id}`))).toEqual([404, "payment_not_found"]);
	expect(codeOf(await desk.ask("GET", `/payments/${randomUUID()}`))).toEqual([404, "payment_not_found"]);
	expect(codeOf(await desk.ask("GET", "/payments?cursor=x"))).toEqual([400, "invalid_input"]);
});

test("a plan that is not on offer is not previewed", async () => {
	await desk.ask("POST", "", { plan: "STARTER" });
	expect(codeOf(await preview("GOLD"))).toEqual([404, "plan_not_found"]);
});

import { expect, test } from "vitest";
import { type Desk, setUpDesk } from "./desk.ts";

const { desk } = setUpDesk();

const requested = () => desk.events("subscription.billing.requested");
const withdrawn = () => desk.events("subscription.billing.withdrawn");
const checkout = (plan: string) => desk.ask("POST", "/checkout", { plan });
const change = async (plan: string, mode: string) => {
	const { quote_id } = await desk.quote(plan);
	return desk.ask("POST", "/change", { quote_id, mode, acknowledge: true });
};

/** Each closes the operation that waits for its payment. */
const closings: ReadonlyArray<[because: string, close: (at: Desk) => Promise<unknown>]> = [
	["replaced", () => checkout("GROWTH")],
	["withdrawn", (at) => at.ask("DELETE", "/pending-change")],
	["plan_selected", (at) => at.ask("POST", "", { plan: "GROWTH" })],
	[
		"time_granted",
		(at) =>
			at.own("POST", `/api/v1/admin/tenants/${at.tenantId}/grants`, { days: 7, because: "a late start" }),
	],
	["unanswered", (at) => at.daysPass(2)],
];

test.each(closings)(
	"a requested payment of an operation that is closed is withdrawn once: %s",
	async (because, close) => {
		await desk.ask("POST", "", { plan: "STARTER" });
		await desk.answers("silent");
		const { body } = await checkout("STARTER");
		expect(await withdrawn()).toEqual([]);
		await close(desk);
		const data = { operation_id: body["operation_id"], tenant_id: desk.tenantId, because };
		expect(await withdrawn()).toEqual([{ type: "subscription.billing.withdrawn", data }]);
	},
);

test.each([
	["cancelled", () => desk.ask("POST", "/cancel")],
	["change_scheduled", () => change("STARTER", "period_end")],
] as const)("in a paid period, too: %s", async (because, close) => {
	await desk.payFor("GROWTH");
	await desk.answers("silent");
	const { body } = await change("PROFESSIONAL", "now");
	await close();
	expect(await withdrawn()).toMatchObject([{ data: { because, operation_id: body["operation_id"] } }]);
});

test.each(["pays", "refuses"] as const)(
	"a payment that the treasury answers is not withdrawn: it %s",
	async (answer) => {
		await desk.ask("POST", "", { plan: "STARTER" });
		await desk.answers(answer);
		await checkout("STARTER");
		await expect.poll(async () => (await desk.books()).operations[0]?.status).not.toBe("requested");
		await desk.daysPass(2);
		expect(await withdrawn()).toEqual([]);
	},
);

test("a request says when its operation closes: a checkout after a day, a renewal 97 days after its period", async () => {
	await desk.payFor("STARTER");
	await desk.answers("silent");
	await desk.daysPass(32);
	const ends = (await requested()).map(({ data }) => [data["kind"], data["attempt"], data["expires_at"]]);
	expect(ends).toEqual([
		["checkout", 1, "2026-03-16T12:00:00.000Z"],
		["renewal", 1, "2026-07-21T12:00:00.000Z"],
		["renewal", 2, "2026-07-21T12:00:00.000Z"],
	]);
});

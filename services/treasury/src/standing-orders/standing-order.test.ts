import { expect, test } from "vitest";
import { nextStatus, type OrderSaid, saidByTime, standingOrderStatuses } from "./standing-order.ts";

/** What each statement makes of requested, consent_pending, active, ended, stopped and failed. */
const table: ReadonlyArray<[OrderSaid["kind"], readonly string[]]> = [
	["accepted", ["consent_pending", "-", "-", "-", "-", "-"]],
	["refused", ["failed", "failed", "-", "-", "-", "-"]],
	["consented", ["active", "active", "-", "-", "-", "active"]],
	["executed", ["active", "active", "-", "-", "-", "active"]],
	["stopped", ["stopped", "stopped", "stopped", "-", "-", "-"]],
	["over", ["ended", "ended", "ended", "-", "-", "-"]],
];

test.each(table)(
	"a standing order of which is said that it is %s follows the table: a payment proves the consent, and what is stopped or over stays so",
	(kind, expected) => {
		expect(standingOrderStatuses.map((status) => nextStatus(status, { kind }) ?? "-")).toEqual(expected);
	},
);

const times = { lastDay: "2031-03-03", madeAt: new Date("2031-03-03T00:00:00Z") };
const before = new Date("2031-03-02T23:59:59Z");

test.each([
	["active", { endOn: "2031-03-02", createdAt: before }, "over"],
	["active", { endOn: "2031-03-03", createdAt: before }, undefined],
	["consent_pending", { endOn: "2036-03-01", createdAt: before }, "refused"],
	["requested", { endOn: "2036-03-01", createdAt: before }, "refused"],
	["consent_pending", { endOn: "2036-03-01", createdAt: times.madeAt }, undefined],
	["requested", { endOn: "2031-03-02", createdAt: times.madeAt }, "over"],
] as const)("time says of an order that is %s, and has %o, that it is %s", (status, order, said) => {
	expect(saidByTime({ status, ...order }, times)?.kind).toBe(said);
});

import { expect, test } from "vitest";
import type { SubscriptionSaid } from "../outcomes/evidence/card-evidence.ts";
import { cardSubscriptionStatuses, nextStatus } from "./card-subscription.ts";

/** What each statement makes of creating, active, attention, non_renewing, disabled, completed and failed. */
const table: ReadonlyArray<[SubscriptionSaid["kind"], readonly string[]]> = [
	["created", ["active", "-", "-", "-", "-", "-", "active"]],
	["refused", ["failed", "-", "-", "-", "-", "-", "-"]],
	["charged", ["active", "-", "active", "-", "-", "-", "active"]],
	["charge_failed", ["attention", "attention", "-", "-", "-", "-", "-"]],
	["not_renewed", ["non_renewing", "non_renewing", "non_renewing", "-", "-", "-", "-"]],
	["disabled", ["disabled", "disabled", "disabled", "disabled", "-", "-", "-"]],
	["completed", ["completed", "completed", "completed", "completed", "completed", "-", "-"]],
	["enabled", ["-", "-", "-", "active", "active", "-", "-"]],
];

test.each(table)(
	"a card subscription of which is said that it is %s follows the table: a charge proves that it exists, and does not resume what was stopped",
	(kind, expected) => {
		expect(cardSubscriptionStatuses.map((status) => nextStatus(status, { kind }) ?? "-")).toEqual(expected);
	},
);

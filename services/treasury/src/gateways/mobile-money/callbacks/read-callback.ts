import type { CallbackRoute } from "../../../inbox/callback-token.ts";
import { ignored, type Reading } from "../../../inbox/reading.ts";
import { readConfirmation } from "./read-confirmation.ts";
import { readPush } from "./read-push.ts";
import {
	readBalanceResult,
	readPayoutResult,
	readReversalResult,
	readStatusResult,
	readTimeout,
} from "./read-result.ts";
import { readStandingOrder } from "./read-standing-order.ts";

const readers: Readonly<Record<CallbackRoute, (body: unknown) => Reading>> = {
	callback: readPush,
	validation: () => ignored("a validation moves no money"),
	confirmation: readConfirmation,
	"b2c-result": readPayoutResult,
	"b2c-timeout": readTimeout,
	"b2b-result": readPayoutResult,
	"b2b-timeout": readTimeout,
	"txn-status-result": readStatusResult,
	"txn-timeout": readTimeout,
	"reversal-result": readReversalResult,
	"balance-result": readBalanceResult,
	"standing-order": readStandingOrder,
	timeout: readTimeout,
};

/** Reads a callback of the mobile-money gateway. Never throws. */
export const readCallback = (route: CallbackRoute, body: unknown): Reading => readers[route](body);

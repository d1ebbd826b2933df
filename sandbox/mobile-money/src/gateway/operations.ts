import { registerUrls } from "../over-the-counter/register-urls.ts";
import { simulate } from "../over-the-counter/simulate.ts";
import { push } from "../push/push.ts";
import { pushQuery } from "../push/push-query.ts";
import { qr } from "../qr/qr.ts";
import { balance } from "../requests/balance.ts";
import { business } from "../requests/business.ts";
import { payout } from "../requests/payout.ts";
import { reversal } from "../requests/reversal.ts";
import { status } from "../requests/status.ts";
import { standingOrder } from "../standing-orders/create-order.ts";
import type { Operation } from "./operation.ts";

/** Every operation of the API, besides the token. */
export const operations: readonly Operation[] = [
	push,
	pushQuery,
	registerUrls,
	simulate,
	payout,
	business,
	status,
	reversal,
	balance,
	standingOrder,
	qr,
];

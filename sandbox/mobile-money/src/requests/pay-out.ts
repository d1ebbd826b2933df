import type { Shortcode } from "../accounts/shortcode.ts";
import type { Accepted, Call } from "../gateway/operation.ts";
import { getOwnShortcode } from "../gateway/own-shortcode.ts";
import { charge } from "../ledger/charge.ts";
import { balanceOf, type Movement, moveMoney } from "../ledger/movement.ts";
import { findInitiatorFault } from "./initiator.ts";
import { closeRequest, type GatewayRequest, openRequest, sendResult, toAccepted } from "./request.ts";

type PayOut = {
	operation: "business" | "payout";
	/** The members that both operations have. */
	body: {
		PartyA: string;
		Amount: number;
		OriginatorConversationID: string | null;
		QueueTimeOutURL: string;
		ResultURL: string;
	};
	initiator: { name: string; credential: string };
	/** The code of why the payee cannot be paid, or undefined. */
	findFault: () => number | undefined;
	movement: Pick<Movement, "kind" | "reference" | "from" | "to"> & Partial<Pick<Movement, "phone">>;
	toResult: Parameters<typeof sendResult>[2];
};

/** Accepts a request to pay from a shortcode. What moves money has happened before the answer. */
export async function acceptPayOut(call: Call, payOut: PayOut): Promise<Accepted> {
	const { sandbox } = call;
	const { operation, body, initiator, findFault, toResult } = payOut;
	const shortcode = getOwnShortcode(call, ["PartyA", body.PartyA]);
	const opened = openRequest(call, {
		...{ operation, shortcode: body.PartyA, originatorId: body.OriginatorConversationID },
		...{ resultUrl: body.ResultURL, timeoutUrl: body.QueueTimeOutURL },
	});
	const fault =
		(await findInitiatorFault(sandbox, shortcode, initiator)) ?? findFault() ?? findShortage(call, payOut);
	const request =
		fault === undefined
			? pay(call, opened, { payOut, shortcode })
			: closeRequest(sandbox, opened, { resultCode: fault });
	return { answer: toAccepted(request), follow: () => sendResult(sandbox, request, toResult) };
}

/** The code of a balance that does not suffice, or undefined. */
function findShortage({ sandbox, ordinal }: Call, { operation, body, movement }: PayOut): number | undefined {
	const isShort = sandbox.faults.take({ operation, ordinal, faults: ["insufficient_float"] });
	return isShort !== undefined || balanceOf(sandbox, movement.from) < body.Amount ? 1 : undefined;
}

function pay(
	call: Call,
	request: GatewayRequest,
	{ payOut: { body, movement }, shortcode: charged }: { payOut: PayOut; shortcode: Shortcode },
): GatewayRequest {
	const { sandbox, ordinal, at } = call;
	const { conversationId, originatorId, shortcode } = request;
	const moved = moveMoney(sandbox, {
		...{ ordinal, at, amountMinor: body.Amount, shortcode, conversationId, originatorId },
		...movement,
	});
	charge(call, moved, charged);
	return closeRequest(sandbox, request, { resultCode: 0, transactionId: moved.receipt });
}

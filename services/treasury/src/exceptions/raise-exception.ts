import { treasuryExceptionRaised } from "@lango/contracts";
import { recordEvent, uuidV7 } from "@lango/events";
import type { Database } from "@lango/postgres";
import { toMinor } from "../money/amount.ts";
import { recordException } from "./exception.store.ts";
import type { Exception } from "./exception.ts";

type Raised = Pick<Exception, "class" | "subject" | "amountMinor" | "currency" | "ours" | "theirs"> &
	Partial<Pick<Exception, "proposed" | "settlementId" | "lineId">> & {
		/** Whether it is raised again after an operator has closed it. */
		isRepeatable?: boolean;
		now: Date;
	};

/**
 * Raises an exception: the platform owner has to decide. The same one again changes nothing, unless it is
 * closed and repeatable. Call it in the transaction of what it is about.
 */
export async function raiseException(tx: Database, { now, ...raised }: Raised): Promise<void> {
	const opened = { id: uuidV7(now), state: "open" as const, raisedAt: now };
	const without = { proposed: undefined, settlementId: undefined, lineId: undefined, isRepeatable: false };
	const id = await recordException(tx, { ...without, ...raised, ...opened });
	if (id === undefined) return;
	await recordEvent(tx, treasuryExceptionRaised, {
		...{ subject: id, now },
		data: {
			...{ exception_id: id, class: raised.class, currency: raised.currency },
			amount_minor: toMinor(raised.amountMinor),
		},
	});
}

import { treasuryExceptionRaised } from "@lango/contracts";
import { recordEvent, uuidV7 } from "@lango/events";
import type { Database } from "@lango/postgres";
import { toMinor } from "../money/amount.ts";
import { recordException } from "./exception.store.ts";
import type { Exception } from "./exception.ts";

type Raised = Pick<Exception, "class" | "subject" | "amountMinor" | "currency" | "ours" | "theirs"> & {
	now: Date;
};

/**
 * Raises an exception: the platform owner has to decide. The same one again changes nothing. Call it in the
 * transaction of what it is about.
 */
export async function raiseException(tx: Database, { now, ...raised }: Raised): Promise<void> {
	const id = uuidV7(now);
	if (!(await recordException(tx, { ...raised, id, state: "open", raisedAt: now }))) return;
	await recordEvent(tx, treasuryExceptionRaised, {
		...{ subject: id, now },
		data: {
			...{ exception_id: id, class: raised.class, currency: raised.currency },
			amount_minor: toMinor(raised.amountMinor),
		},
	});
}

import { treasuryReceiptUnallocated } from "@lango/contracts";
import { recordEvent } from "@lango/events";
import type { Database } from "@lango/postgres";
import { toMinor } from "../money/amount.ts";
import { maskPhone, readPhone } from "../money/phone.ts";
import { type Receipt, unallocatedOf } from "./receipt.ts";

/** Publishes that money arrived that pays no intent. Call it in the transaction that records it. */
export async function recordReceiptUnallocated(tx: Database, receipt: Receipt, now: Date): Promise<void> {
	await recordEvent(tx, treasuryReceiptUnallocated, {
		...{ subject: receipt.id, tenantId: receipt.tenantId, now },
		data: {
			...{ receipt_id: receipt.id, tenant_id: receipt.tenantId, account_ref: accountOf(receipt) },
			...{ amount_minor: toMinor(unallocatedOf(receipt)), currency: receipt.currency },
		},
	});
}

/** Payers also type their phone, which no event contains. */
function accountOf({ accountRef }: Receipt): string | null {
	const phone = readPhone(accountRef ?? "");
	return phone === undefined ? accountRef : maskPhone(phone);
}

import { remindOfDispute, resolveDispute } from "../disputes/dispute.ts";
import type { Gateway } from "../gateway.ts";
import { announceExpiringCard, announceInvoice, chargeSubscription } from "../plans/subscription.ts";
import type { Task, TaskKind } from "../records/tables.ts";
import { advanceRefund } from "../refunds/refund.ts";
import { payOutSettlement, settle } from "../settlements/settle.ts";
import { concludeTransfer } from "../transfers/transfer.ts";

type Work = (gateway: Gateway, key: string) => void;

const works: Readonly<Record<TaskKind, Work>> = {
	settle: (gateway, currency) => void settle(gateway, currency),
	pay_out_settlement: payOutSettlement,
	remind_of_dispute: remindOfDispute,
	close_dispute: (gateway, id) => void resolveDispute(gateway, id, { resolution: "auto-accepted" }),
	advance_refund: advanceRefund,
	conclude_transfer: concludeTransfer,
	announce_invoice: announceInvoice,
	charge_subscription: chargeSubscription,
	announce_expiring_card: announceExpiringCard,
};

/** Does the work of a task that has become due. */
export function runTask(gateway: Gateway, { kind, key }: Task): void {
	works[kind](gateway, key);
}

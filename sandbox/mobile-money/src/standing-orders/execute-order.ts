import { accountOf, balanceOf, moveMoney } from "../ledger/movement.ts";
import { printStamp } from "../ledger/text.ts";
import { sendConfirmation } from "../over-the-counter/confirmation.ts";
import type { Sandbox } from "../sandbox.ts";
import { dueAt, type StandingOrder } from "./standing-order.ts";

/**
 * Plans the next execution of an order by the clock. One that is overdue is done at once, and so is the first
 * one of an order that begins today.
 */
export function planExecution(sandbox: Sandbox, order: StandingOrder): void {
	const due = dueAt(order, order.next, sandbox.behaviour.frequencies);
	if (due === undefined) return;
	const now = sandbox.clock.now();
	const isToday = order.next === 0 && order.startDate === printStamp(now).slice(0, 8);
	sandbox.agenda.plan(isToday && due > now ? now : due, (at) => execute(sandbox, order, at));
}

/** Collects once, and plans the next execution. A payer who has too little is skipped. */
function execute(sandbox: Sandbox, order: StandingOrder, at: Date): void {
	const { ordinal, phone, shortcode, amountMinor, reference, next } = order;
	const from = accountOf.phone(phone);
	if (balanceOf(sandbox, from) >= amountMinor) {
		const movement = moveMoney(sandbox, {
			...{ kind: "standing_order", ordinal, at, amountMinor, phone, shortcode, reference, from },
			...{ purpose: `execution ${next}`, to: accountOf.shortcode(shortcode, "utility") },
		});
		sandbox.background.run(0, () => sendConfirmation(sandbox, { movement, ordinal }));
	}
	planExecution(sandbox, sandbox.tables.orders.put(order.id, { ...order, next: next + 1 }));
}

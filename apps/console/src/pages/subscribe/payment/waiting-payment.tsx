import type { SubscriptionPayment } from "@lango/contracts";
import { Notice } from "@lango/interface";
import { useEffect, useState } from "react";
import { ConfirmButton } from "../../../dialogs/confirm-button.tsx";
import { usePlatform } from "../../../platform.ts";
import { subscriptionAddress } from "../../../subscription/subscription.queries.ts";
import { useSubscribeTexts } from "../../../subscription/texts.ts";
import { usePlanName } from "../../../subscription/use-plan-name.ts";
import type { SubscriptionContext } from "../../../subscription/use-subscription-context.ts";
import { useFormat } from "../../../tenant/use-format.ts";
import { RequestAgain } from "./ask-again.tsx";
import { PayBill } from "./pay-bill.tsx";
import { usePaymentTexts } from "./texts.ts";

const slowMilliseconds = 15_000;
/** The time after which the service gives up on a first payment or a change. */
const openMilliseconds = 86_400_000;

type Waiting = {
	payment: SubscriptionPayment;
	context: SubscriptionContext;
	slug: string;
	onWithdrawn: () => void;
};

/** A payment that is not settled yet. It can be requested again or withdrawn. */
export function WaitingPayment({ payment, context, slug, onWithdrawn }: Waiting) {
	const words = usePaymentTexts();
	const nameOf = usePlanName();
	const format = useFormat();
	const isSlow = useIsSlow(payment.attempt);
	const { plan, amount_minor, currency, kind, requested_at } = payment;
	const until = new Date(new Date(requested_at).getTime() + openMilliseconds);
	const slow = kind === "renewal" ? words.slowRenewal : words.slow(format.time(until));
	return (
		<Notice kind="warning">
			<p className="font-semibold">{words.asked(format.money(amount_minor, currency), nameOf(plan))}</p>
			<p>{isSlow ? slow : words.waiting}</p>
			<progress aria-label={words.progress} className="mt-3 block h-2 w-full max-w-md accent-warning" />
			<PayBill slug={slug} operationId={payment.id} />
			<div className="mt-3 flex flex-wrap gap-3 empty:hidden">
				{isSlow && kind !== "change" && <RequestAgain plan={plan} context={context} label={words.askAgain} />}
				{kind !== "renewal" && <Withdraw plan={nameOf(plan)} context={context} onWithdrawn={onWithdrawn} />}
			</div>
		</Notice>
	);
}

function Withdraw({
	plan,
	context,
	onWithdrawn,
}: {
	plan: string;
	context: SubscriptionContext;
	onWithdrawn: () => void;
}) {
	const platform = usePlatform();
	const words = usePaymentTexts();
	const { errors } = useSubscribeTexts();
	return (
		<ConfirmButton
			texts={words.withdraw}
			isDestructive
			name={plan}
			action={() =>
				platform.client.call(subscriptionAddress(platform, context.tenantId, "/pending-change"), {
					method: "DELETE",
				})
			}
			onDone={() => {
				onWithdrawn();
				return context.renew();
			}}
			messages={errors}
		/>
	);
}

/**
 * Whether this attempt takes longer than usual, since the page opened or the payment was requested again.
 */
function useIsSlow(attempt: number): boolean {
	const [slowAttempt, setSlowAttempt] = useState<number>();
	useEffect(() => {
		const timer = setTimeout(() => setSlowAttempt(attempt), slowMilliseconds);
		return () => clearTimeout(timer);
	}, [attempt]);
	return slowAttempt === attempt;
}

import type { SubscriptionPayment } from "@lango/contracts";
import { Button, buttonLook, Notice } from "@lango/interface";
import { Link } from "@tanstack/react-router";
import { useFailureReason } from "../../../failure-codes/failure-reason.ts";
import { usePlanName } from "../../../subscription/use-plan-name.ts";
import type { SubscriptionContext } from "../../../subscription/use-subscription-context.ts";
import { useFormat } from "../../../tenant/use-format.ts";
import { RequestAgain } from "./ask-again.tsx";
import { usePaymentTexts } from "./texts.ts";

type Refused = {
	payment: SubscriptionPayment;
	context: SubscriptionContext;
	/** Where to retry; undefined if the change must be chosen again, for example an add-on. */
	again: { slug: string; plan: string } | undefined;
	/** Undefined while the service retries it automatically. */
	onDismiss: (() => void) | undefined;
};

/** A refused payment: consequences, reason and retry. */
export function RefusedPayment({ payment, context, again, onDismiss }: Refused) {
	const words = usePaymentTexts();
	const nameOf = usePlanName();
	const format = useFormat();
	const reasonOf = useFailureReason("payment");
	const { plan, amount_minor, currency, failure } = payment;
	const sum = format.money(amount_minor, currency);
	const isRetried = onDismiss === undefined;
	return (
		<Notice kind="error">
			<p className="font-semibold">
				{isRetried ? words.refusedRenewal(sum, nameOf(plan)) : words.refused(sum, nameOf(plan))}
			</p>
			<p>{words.refusedAdvice}</p>
			{failure !== null && <p className="mt-1">{words.reason(reasonOf(failure))}</p>}
			<div className="mt-3 flex flex-wrap gap-3">
				{isRetried && <RequestAgain plan={plan} context={context} label={words.payNow} />}
				{!isRetried && again !== undefined && (
					<Link
						to="/$slug/subscribe/change"
						params={{ slug: again.slug }}
						search={{ plan: again.plan }}
						className={buttonLook("plain")}
					>
						{words.tryAgain}
					</Link>
				)}
				{onDismiss !== undefined && <Button onClick={onDismiss}>{words.dismiss}</Button>}
			</div>
		</Notice>
	);
}

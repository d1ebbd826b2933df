import type { SubscriptionPayment } from "@lango/contracts";
import { Button, buttonLook, formatMoney, Notice, useLanguage } from "@lango/interface";
import { Link } from "@tanstack/react-router";
import { usePlanName } from "../../../subscription/use-plan-name.ts";
import type { SubscriptionContext } from "../../../subscription/use-subscription-context.ts";
import { wordFor } from "../../../texts/texts.ts";
import { AskAgain } from "./ask-again.tsx";
import { usePaymentTexts } from "./texts.ts";

type Refused = {
	payment: SubscriptionPayment;
	context: SubscriptionContext;
	/** Where to try again; undefined where it has to be chosen again, as add-ons have. */
	again: { slug: string; plan: string } | undefined;
	/** Undefined while it is tried again by itself. */
	onDismiss: (() => void) | undefined;
};

/** A payment that was refused: what that means, why, and how to try again. */
export function RefusedPayment({ payment, context, again, onDismiss }: Refused) {
	const words = usePaymentTexts();
	const nameOf = usePlanName();
	const language = useLanguage();
	const { plan, amount_minor, currency, failure } = payment;
	const sum = formatMoney(amount_minor, { currency, language });
	const isRetried = onDismiss === undefined;
	return (
		<Notice kind="fault">
			<p className="font-semibold">
				{isRetried ? words.refusedRenewal(sum, nameOf(plan)) : words.refused(sum, nameOf(plan))}
			</p>
			<p>{words.refusedAdvice}</p>
			{failure !== null && <p className="mt-1">{words.reason(wordFor(words.reasons, failure))}</p>}
			<div className="mt-3 flex flex-wrap gap-3">
				{isRetried && <AskAgain plan={plan} context={context} label={words.payNow} />}
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

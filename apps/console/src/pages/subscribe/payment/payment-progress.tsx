import type { Subscription, SubscriptionPayment } from "@lango/contracts";
import { Button, Notice } from "@lango/interface";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { ErrorNotice } from "../../../notices/error-notice.tsx";
import { NextButton } from "../../../notices/next-button.tsx";
import { usePlatform } from "../../../platform.ts";
import { billingQuery, paymentQuery } from "../../../subscription/subscription.queries.ts";
import { usePlanName } from "../../../subscription/use-plan-name.ts";
import type { SubscriptionContext } from "../../../subscription/use-subscription-context.ts";
import { useFormat } from "../../../tenant/use-format.ts";
import { wordFor } from "../../../texts/texts.ts";
import { RefusedPayment } from "./refused-payment.tsx";
import { usePaymentTexts } from "./texts.ts";
import { WaitingPayment } from "./waiting-payment.tsx";

const route = getRouteApi("/$slug/subscribe");

type Progress = { context: SubscriptionContext; slug: string; subscription: Subscription | null };

/**
 * The open payment, or the one in the address. It is polled until it is settled; the outcome stays until it
 * is dismissed. A reloaded page finds it again.
 */
export function PaymentProgress({ context, slug, subscription }: Progress) {
	const platform = usePlatform();
	const { payment: named } = route.useSearch();
	const open = useQuery(billingQuery(platform, context.tenantId)).data?.open_payment_id ?? undefined;
	const [kept, setKept] = useState(open);
	if (open !== undefined && open !== kept) setKept(open);
	const id = open ?? named ?? kept;
	const navigate = route.useNavigate();
	const dismiss = () => {
		setKept(undefined);
		void navigate({ search: {}, replace: true });
	};
	if (id === undefined) return null;
	return <Payment key={id} {...{ id, context, slug, subscription, dismiss }} />;
}

function Payment({
	id,
	context,
	slug,
	subscription,
	dismiss,
}: Progress & { id: string; dismiss: () => void }) {
	const payment = useQuery(paymentQuery(usePlatform(), context.tenantId, id));
	useRenewal(payment.data?.status, context.renew);
	if (payment.data === undefined) return <ErrorNotice error={payment.error} onRetry={payment.refetch} />;
	const { status, failure, plan, kind } = payment.data;
	const isRetried = status === "requested" && failure !== null;
	if (status === "requested" && !isRetried)
		return <WaitingPayment payment={payment.data} context={context} slug={slug} onWithdrawn={dismiss} />;
	if (status === "refused" || isRetried) {
		const again = kind === "change" && plan === subscription?.plan ? undefined : { slug, plan };
		return (
			<RefusedPayment
				payment={payment.data}
				context={context}
				again={again}
				onDismiss={isRetried ? undefined : dismiss}
			/>
		);
	}
	return <Outcome payment={payment.data} isOpen={subscription?.access === "full"} onDismiss={dismiss} />;
}

/** Reloads everything after the payment is settled. */
function useRenewal(status: SubscriptionPayment["status"] | undefined, renew: () => Promise<void>): void {
	const lastStatus = useRef<string>(undefined);
	useEffect(() => {
		if (status === undefined || status === lastStatus.current) return;
		lastStatus.current = status;
		if (status !== "requested") renew().catch(reportError);
	}, [status, renew]);
}

type Settled = {
	payment: SubscriptionPayment;
	/** Whether the subscription admits to all pages. */
	isOpen: boolean;
	onDismiss: () => void;
};

function Outcome({ payment, isOpen, onDismiss }: Settled) {
	const words = usePaymentTexts();
	const nameOf = usePlanName();
	const format = useFormat();
	const { status, plan, amount_minor, currency } = payment;
	const labels = wordFor(
		{
			paid: amount_minor === 0 ? words.covered(nameOf(plan)) : words.paid(money(), nameOf(plan)),
			unanswered: words.unanswered(money(), nameOf(plan)),
			withdrawn: words.withdrawn(money(), nameOf(plan)),
			credited: words.credited(money(), nameOf(plan)),
		},
		status,
	);
	function money(): string {
		return format.money(amount_minor, currency);
	}
	return (
		<Notice kind={status === "paid" ? "done" : "warning"}>
			<p>{labels}</p>
			<div className="mt-3 flex flex-wrap gap-3">
				{isOpen && <NextButton />}
				<Button onClick={onDismiss}>{words.dismiss}</Button>
			</div>
		</Notice>
	);
}

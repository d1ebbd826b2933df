import type { AddOn, Plan, SubscriptionCheckout, TenantAddOn } from "@lango/contracts";
import { Button } from "@lango/interface";
import { type UseMutationResult, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useRef, useState } from "react";
import { Page } from "../../../layout/page.tsx";
import { Card } from "../../../layout/section.tsx";
import { ErrorNotice } from "../../../notices/error-notice.tsx";
import { Loaded } from "../../../notices/loaded.tsx";
import { usePlatform } from "../../../platform.ts";
import { checkoutQuery, subscriptionAddress } from "../../../subscription/subscription.queries.ts";
import type { SubscriptionContext } from "../../../subscription/use-subscription-context.ts";
import { useFormat } from "../../../tenant/use-format.ts";
import { Acknowledgement } from "./acknowledgement.tsx";
import { BackToSubscription } from "./back-to-subscription.tsx";
import { Difference } from "./difference.tsx";
import { type CheckoutLoss, droppableAddOns, lossOfDropping, mustAcknowledge } from "./kept-add-ons.ts";
import { KeptAddOns } from "./kept-add-ons-field.tsx";
import { PriceLines } from "./price-lines.tsx";
import { useChangeTexts } from "./texts.ts";

type Asked = { operation_id: string };
const nothing = { products: [], features: [], limits: [] };

type PayForPlan = {
	plan: Plan;
	/** The catalogue, and the tenant's add-ons. */
	addOns: readonly AddOn[];
	ownAddOns: readonly TenantAddOn[];
	context: SubscriptionContext;
	slug: string;
};

/**
 * Pays for a plan: the first payment, during a trial, or after the plan is overdue or expired. Add-ons can
 * be removed first.
 */
export function PayForPlan({ plan, addOns, ownAddOns, context, slug }: PayForPlan) {
	const platform = usePlatform();
	const queries = useQueryClient();
	const navigate = useNavigate();
	const words = useChangeTexts();
	const [chosen, setChosen] = useState<readonly string[]>();
	const requested = { plan: plan.code, addOns: chosen };
	const preview = useQuery(checkoutQuery(platform, context.tenantId, requested));
	const own = droppableAddOns(ownAddOns);
	const codes = own.map(({ code }) => code);
	const kept = chosen ?? preview.data?.add_ons;
	const pay = useMutation({
		mutationFn: ({ acknowledge, add_ons }: Confirmed) =>
			platform.client.call<Asked>(subscriptionAddress(platform, context.tenantId, "/checkout"), {
				method: "POST",
				body: { plan: plan.code, ...(own.length > 0 && { add_ons }), ...(acknowledge && { acknowledge }) },
			}),
		onSuccess: async ({ operation_id: payment }) => {
			await queries.invalidateQueries({ queryKey: ["subscription", context.tenantId, "billing"] });
			await navigate({ to: "/$slug/subscribe", params: { slug }, search: { payment } });
		},
		// The shown losses may be outdated.
		onError: () => queries.invalidateQueries({ queryKey: ["subscription", context.tenantId, "checkout"] }),
	});
	return (
		<Page title={words.payTitle(plan.name)} lead={words.payLead}>
			<div className="max-w-xl">
				{own.length > 0 && kept !== undefined && (
					<KeptAddOns {...{ addOns, own, kept }} onChange={pay.isPending ? undefined : setChosen} />
				)}
				<Loaded query={preview}>
					{(checkout) => {
						const loss = checkout.acknowledgement_required
							? checkout
							: lossOfDropping({ plan, addOns, ownAddOns: codes, kept: checkout.add_ons });
						return (
							<div className="grid gap-4">
								{isLoss(loss) && <Difference gain={nothing} quote={loss} />}
								<ConfirmPayment
									key={keyOfLoss(checkout)}
									checkout={checkout}
									mustAcknowledge={mustAcknowledge(checkout, codes)}
									pay={pay}
								/>
							</div>
						);
					}}
				</Loaded>
				<BackToSubscription />
			</div>
		</Page>
	);
}

const isLoss = ({ products_lost, features_lost, limits_lowered }: CheckoutLoss) =>
	products_lost.length + features_lost.length + limits_lowered.length > 0;

/** An acknowledgement is valid only for the losses shown with it. */
const keyOfLoss = ({ products_lost, features_lost, limits_lowered, add_ons }: SubscriptionCheckout) =>
	JSON.stringify([products_lost, features_lost, limits_lowered, add_ons]);

/** The confirmed payment, with the add-ons of the preview. */
type Confirmed = { acknowledge: boolean; add_ons: readonly string[] };
type Confirm = {
	checkout: SubscriptionCheckout;
	mustAcknowledge: boolean;
	pay: Pick<UseMutationResult<unknown, Error, Confirmed>, "mutate" | "isPending" | "error">;
};

/** Price, period, acknowledgement and confirmation of a payment. */
function ConfirmPayment({ checkout, mustAcknowledge, pay }: Confirm) {
	const [isAcknowledged, setAcknowledged] = useState(false);
	const [isReminded, setReminded] = useState(false);
	const box = useRef<HTMLInputElement>(null);
	const words = useChangeTexts();
	const format = useFormat();
	const { lines, amount_minor, currency, starts_at, ends_at, add_ons } = checkout;
	const confirm = () => {
		if (mustAcknowledge && !isAcknowledged) {
			setReminded(true);
			box.current?.focus();
			return;
		}
		pay.mutate({ acknowledge: isAcknowledged, add_ons });
	};
	return (
		<Card title={words.cost}>
			<PriceLines lines={lines} dueMinor={amount_minor} currency={currency} isPart={false} />
			<p className="mt-4 text-quiet">{words.covers(format.day(starts_at), format.day(ends_at))}</p>
			{mustAcknowledge && (
				<Acknowledgement
					box={box}
					isAcknowledged={isAcknowledged}
					onAcknowledge={setAcknowledged}
					isReminded={isReminded && !isAcknowledged}
				/>
			)}
			<div className="mt-6 grid gap-4">
				<ErrorNotice error={pay.error} messages={words.errors} />
				<Button kind="action" busyText={pay.isPending ? words.asking : undefined} onClick={confirm}>
					{amount_minor > 0 ? words.pay(format.money(amount_minor, currency)) : words.takeCredit}
				</Button>
			</div>
		</Card>
	);
}

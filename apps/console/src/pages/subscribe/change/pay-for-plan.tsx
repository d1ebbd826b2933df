import type { Plan, SubscriptionCheckout } from "@lango/contracts";
import { Button, formatDay, formatMoney, useLanguage } from "@lango/interface";
import { type UseMutationResult, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useRef, useState } from "react";
import { Card } from "../../../frame/card.tsx";
import { Page } from "../../../frame/page.tsx";
import { Fault } from "../../../notices/fault.tsx";
import { Loaded } from "../../../notices/loaded.tsx";
import { usePlatform } from "../../../session/platform.ts";
import { useZone } from "../../../tenant/use-tenant.ts";
import { checkoutQuery, subscriptionAddress } from "../subscribe.queries.ts";
import type { Desk } from "../use-subscription-desk.ts";
import { Back } from "./back.tsx";
import { Difference } from "./difference.tsx";
import { Known } from "./known.tsx";
import { PriceLines } from "./price-lines.tsx";
import { useChangeTexts } from "./texts.ts";

type Asked = { operation_id: string };
const nothing = { products: [], features: [], limits: [] };

/** Paying for a plan: the first time, in a trial, or what is overdue. */
export function PayForPlan({ plan, desk, slug }: { plan: Plan; desk: Desk; slug: string }) {
	const platform = usePlatform();
	const queries = useQueryClient();
	const navigate = useNavigate();
	const words = useChangeTexts();
	const preview = useQuery(checkoutQuery(platform, desk.tenantId, plan.code));
	const pay = useMutation({
		mutationFn: ({ acknowledge }: Acknowledging) =>
			platform.client.call<Asked>(subscriptionAddress(platform, desk.tenantId, "/checkout"), {
				method: "POST",
				body: { plan: plan.code, ...(acknowledge && { acknowledge }) },
			}),
		onSuccess: async ({ operation_id: payment }) => {
			await queries.invalidateQueries({ queryKey: ["subscription", desk.tenantId, "billing"] });
			await navigate({ to: "/$slug/subscribe", params: { slug }, search: { payment } });
		},
		// What is said to be lost may be another thing by now.
		onError: () => queries.invalidateQueries({ queryKey: ["subscription", desk.tenantId, "checkout"] }),
	});
	return (
		<Page title={words.payTitle(plan.name)} lead={words.payLead}>
			<div className="max-w-xl">
				<Loaded query={preview}>
					{(checkout) => (
						<div className="grid gap-4">
							{checkout.acknowledgement_required && <Difference gain={nothing} quote={checkout} />}
							<ConfirmPayment key={keyOfLoss(checkout)} checkout={checkout} pay={pay} />
						</div>
					)}
				</Loaded>
				<Back />
			</div>
		</Page>
	);
}

/** That something is known holds for the losses it was said of. */
const keyOfLoss = ({ products_lost, features_lost, limits_lowered }: SubscriptionCheckout) =>
	JSON.stringify([products_lost, features_lost, limits_lowered]);

type Acknowledging = { acknowledge: boolean };
type Confirm = {
	checkout: SubscriptionCheckout;
	pay: Pick<UseMutationResult<unknown, Error, Acknowledging>, "mutate" | "isPending" | "error">;
};

/** For how much and which time, that what is lost is known, and the deed. */
function ConfirmPayment({ checkout, pay }: Confirm) {
	const [isKnown, setKnown] = useState(false);
	const [isReminded, setReminded] = useState(false);
	const box = useRef<HTMLInputElement>(null);
	const words = useChangeTexts();
	const language = useLanguage();
	const zone = { language, timeZone: useZone() };
	const { lines, amount_minor, currency, starts_at, ends_at, acknowledgement_required: mustKnow } = checkout;
	const confirm = () => {
		if (mustKnow && !isKnown) {
			setReminded(true);
			box.current?.focus();
			return;
		}
		pay.mutate({ acknowledge: isKnown });
	};
	return (
		<Card title={words.cost}>
			<PriceLines lines={lines} dueMinor={amount_minor} currency={currency} isPart={false} />
			<p className="mt-4 text-quiet">{words.covers(formatDay(starts_at, zone), formatDay(ends_at, zone))}</p>
			{mustKnow && (
				<Known box={box} isKnown={isKnown} onKnow={setKnown} isReminded={isReminded && !isKnown} />
			)}
			<div className="mt-6 grid gap-4">
				<Fault error={pay.error} own={words.refused} />
				<Button kind="action" busyText={pay.isPending ? words.asking : undefined} onClick={confirm}>
					{amount_minor > 0 ? words.pay(formatMoney(amount_minor, { currency, language })) : words.takeCredit}
				</Button>
			</div>
		</Card>
	);
}

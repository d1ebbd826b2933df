import type { Plan } from "@lango/contracts";
import { Button, formatDay, formatMoney, useLanguage } from "@lango/interface";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Card } from "../../../frame/card.tsx";
import { Page } from "../../../frame/page.tsx";
import { Fault } from "../../../notices/fault.tsx";
import { Loaded } from "../../../notices/loaded.tsx";
import { usePlatform } from "../../../session/platform.ts";
import { useZone } from "../../../tenant/use-tenant.ts";
import { checkoutQuery, subscriptionAddress } from "../subscribe.queries.ts";
import type { Desk } from "../use-subscription-desk.ts";
import { Back } from "./back.tsx";
import { PriceLines } from "./price-lines.tsx";
import { useChangeTexts } from "./texts.ts";

type Asked = { operation_id: string };

/** Paying for a plan: the first time, in a trial, or what is overdue. */
export function PayForPlan({ plan, desk, slug }: { plan: Plan; desk: Desk; slug: string }) {
	const platform = usePlatform();
	const queries = useQueryClient();
	const navigate = useNavigate();
	const language = useLanguage();
	const words = useChangeTexts();
	const zone = { language, timeZone: useZone() };
	const preview = useQuery(checkoutQuery(platform, desk.tenantId, plan.code));
	const pay = useMutation({
		mutationFn: () =>
			platform.client.call<Asked>(subscriptionAddress(platform, desk.tenantId, "/checkout"), {
				method: "POST",
				body: { plan: plan.code },
			}),
		onSuccess: async ({ operation_id: payment }) => {
			await queries.invalidateQueries({ queryKey: ["subscription", desk.tenantId, "billing"] });
			await navigate({ to: "/$slug/subscribe", params: { slug }, search: { payment } });
		},
	});
	return (
		<Page title={words.payTitle(plan.name)} lead={words.payLead}>
			<div className="max-w-xl">
				<Loaded query={preview}>
					{({ lines, amount_minor, currency, starts_at, ends_at }) => (
						<Card title={words.cost}>
							<PriceLines lines={lines} dueMinor={amount_minor} currency={currency} isPart={false} />
							<p className="mt-4 text-quiet">
								{words.covers(formatDay(starts_at, zone), formatDay(ends_at, zone))}
							</p>
							<div className="mt-6 grid gap-4">
								<Fault error={pay.error} own={words.refused} />
								<Button
									kind="action"
									busyText={pay.isPending ? words.asking : undefined}
									onClick={() => pay.mutate()}
								>
									{amount_minor > 0
										? words.pay(formatMoney(amount_minor, { currency, language }))
										: words.takeCredit}
								</Button>
							</div>
						</Card>
					)}
				</Loaded>
				<Back />
			</div>
		</Page>
	);
}

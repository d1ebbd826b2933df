import { Notice } from "@lango/interface";
import { useQueries } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { Page } from "../../../frame/page.tsx";
import { Fault } from "../../../notices/fault.tsx";
import { usePlatform } from "../../../session/platform.ts";
import { useTexts } from "../../../texts/texts.ts";
import { subscriptionQuery } from "../../overview/overview.queries.ts";
import { addOnsQuery, billingQuery, plansQuery, tenantAddOnsQuery } from "../subscribe.queries.ts";
import { useSubscribeTexts } from "../texts.ts";
import { type Desk, useSubscriptionDesk } from "../use-subscription-desk.ts";
import { Back } from "./back.tsx";
import { PayForPlan } from "./pay-for-plan.tsx";
import { QuotedChange } from "./quoted-change.tsx";
import { useChangeTexts } from "./texts.ts";
import { readWanted } from "./wanted.ts";

const route = getRouteApi("/$slug/subscribe/change");

/** `/{slug}/subscribe/change`: what paying for a plan, changing it, or taking and dropping an add-on comes to, and doing it. */
export function ChangePage() {
	const desk = useSubscriptionDesk();
	const { title, askAdministrator } = useSubscribeTexts();
	if (desk === undefined) return null;
	if (desk.mayChange) return <Change desk={desk} />;
	return (
		<Page title={title}>
			<Notice kind="heed">{askAdministrator}</Notice>
			<Back />
		</Page>
	);
}

function Change({ desk }: { desk: Desk }) {
	const { slug } = route.useParams();
	const search = route.useSearch();
	const platform = usePlatform();
	const texts = useTexts();
	const { title } = useSubscribeTexts();
	const words = useChangeTexts();
	const found = useQueries({
		queries: [
			subscriptionQuery(platform, desk.tenantId),
			billingQuery(platform, desk.tenantId),
			tenantAddOnsQuery(platform, desk.tenantId),
			plansQuery(platform),
			addOnsQuery(platform),
		],
	});
	const [{ data: subscription }, { data: billing }, { data: held }, { data: plans }, { data: addOns }] =
		found;
	const failed = found.find(({ error, data }) => error !== null && data === undefined);
	if (failed !== undefined)
		return (
			<Page title={title}>
				<Fault error={failed.error} own={words.refused} onAgain={failed.refetch} />
			</Page>
		);
	if (subscription === undefined || billing === undefined || held === undefined || !plans || !addOns)
		return (
			<p role="status" className="text-quiet">
				{texts.loading}
			</p>
		);
	const wanted = billing && readWanted(search, { subscription, plans, addOns, held, ownPrice: billing });
	if (!wanted)
		return (
			<Page title={words.nothing} lead={words.nothingText}>
				<Back />
			</Page>
		);
	if (wanted.kind === "pay")
		return <PayForPlan key={wanted.plan.code} plan={wanted.plan} {...{ addOns, held, desk, slug }} />;
	return <QuotedChange key={wanted.name} {...{ wanted, billing, desk, slug }} />;
}

import { buttonLook } from "@lango/interface";
import { Link, useParams } from "@tanstack/react-router";
import { asWords } from "../../texts/texts.ts";
import { JournalsLink } from "../journals/journals-link.tsx";
import { useTenantOf } from "../tenants/use-tenant-of.ts";
import type { Exception } from "./exception.queries.ts";
import { inboxObjectOf, journalSourceOf, linksOf, type SideLink } from "./exception-links.ts";
import { useExceptionTexts } from "./texts.ts";

/** What the treasury has recorded, with links to it and to its journals. */
export function OurSide({ exception }: { exception: Exception }) {
	const source = journalSourceOf(exception);
	return (
		<>
			<Values says={exception.ours} />
			<SideLinks says={exception.ours} />
			{source !== undefined && <JournalsLink source={source} />}
		</>
	);
}

/** What the gateway says, with links to that and to what it sent. */
export function TheirSide({ exception }: { exception: Exception }) {
	const { slug = "" } = useParams({ strict: false });
	const words = useExceptionTexts();
	const object = inboxObjectOf(exception);
	return (
		<>
			<Values says={exception.theirs} />
			<SideLinks says={exception.theirs} />
			{object !== undefined && (
				<Link
					to="/$slug/platform/webhooks"
					params={{ slug }}
					search={{ object }}
					className={buttonLook("quiet")}
				>
					{words.openWebhooks}
				</Link>
			)}
		</>
	);
}

/** What one side says, a line for each of its values. */
function Values({ says }: { says: Exception["ours"] }) {
	const entries = Object.entries(says).filter(([, value]) => value !== null);
	if (entries.length === 0) return <span className="block">–</span>;
	return entries.map(([name, value]) => (
		<span key={name} className="block wrap-anywhere">
			<span className="text-quiet">{asWords(name)}:</span>{" "}
			{typeof value === "object" ? JSON.stringify(value) : String(value)}
		</span>
	));
}

function SideLinks({ says }: { says: Exception["ours"] }) {
	return linksOf(says).map((link) => (
		<span key={link.page} className="block">
			{link.tenantId === undefined ? (
				<SettlementLink id={link.id} />
			) : (
				<TenantLink link={link} tenantId={link.tenantId} />
			)}
		</span>
	));
}

function SettlementLink({ id }: { id: string }) {
	const { slug = "" } = useParams({ strict: false });
	const { open } = useExceptionTexts();
	return (
		<Link to="/$slug/platform/settlements/$id" params={{ slug, id }} className={buttonLook("quiet")}>
			{open.settlement}
		</Link>
	);
}

/** A link to a page of the organisation, once its address is known. */
function TenantLink({ link: { page, id }, tenantId }: { link: SideLink; tenantId: string }) {
	const { open } = useExceptionTexts();
	const { slug } = useTenantOf(tenantId);
	if (slug === undefined) return null;
	const className = buttonLook("quiet");
	const text = open[page];
	const params = { slug, id };
	if (page === "refund")
		return (
			<Link to="/$slug/refunds" params={{ slug }} search={{ receipt_id: id }} className={className}>
				{text}
			</Link>
		);
	return (
		<Link to={tenantPages[page]} params={params} className={className}>
			{text}
		</Link>
	);
}

const tenantPages = {
	intent: "/$slug/payments/$id",
	receipt: "/$slug/receipts/$id",
	payout: "/$slug/payouts/$id",
	dispute: "/$slug/disputes/$id",
	settlement: "/$slug/platform/settlements/$id",
} as const;

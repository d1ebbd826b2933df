import { buttonLook } from "@lango/interface";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { DetailRows } from "../../../layout/details.tsx";
import { Card } from "../../../layout/section.tsx";
import { Loaded } from "../../../notices/loaded.tsx";
import { usePlatform } from "../../../platform.ts";
import { useFormat } from "../../../tenant/use-format.ts";
import { type Credit, creditQuery } from "../credit.queries.ts";
import { useCreditTexts } from "../texts.ts";
import { GrantButton } from "./grant-button.tsx";
import { useOwnerTexts } from "./texts.ts";

/** A tenant's SMS credit, which the platform owner can change; nothing without a notification service. */
export function CreditCard({ slug }: { slug: string }) {
	const { settings } = usePlatform();
	return settings.services.notifications === undefined ? null : <KnownCredit slug={slug} />;
}

function KnownCredit({ slug }: { slug: string }) {
	const words = useOwnerTexts();
	const scope = { service: "notifications", slug } as const;
	const query = useQuery(creditQuery(usePlatform(), scope));
	return (
		<Card title={words.title}>
			<Loaded query={query}>
				{(credit) => (
					<>
						<CreditRows credit={credit} />
						<div className="mt-5 flex flex-wrap gap-3">
							<GrantButton scope={scope} />
							<Link to="/$slug/credits" params={{ slug }} className={buttonLook("plain")}>
								{words.entries}
							</Link>
						</div>
					</>
				)}
			</Loaded>
		</Card>
	);
}

function CreditRows({ credit: { balance, reserved, available, threshold } }: { credit: Credit }) {
	const words = useCreditTexts();
	const format = useFormat();
	return (
		<DetailRows
			rows={[
				[words.balance, format.number(balance)],
				[words.reserved, format.number(reserved)],
				[words.available, format.number(available)],
				[words.threshold, format.number(threshold)],
			]}
		/>
	);
}

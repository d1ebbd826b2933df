import { buttonLook } from "@lango/interface";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Card } from "../../../layout/section.tsx";
import { Loaded } from "../../../notices/loaded.tsx";
import { usePlatform } from "../../../platform.ts";
import { creditQuery } from "../credit.queries.ts";
import { CreditRows } from "../credit-rows.tsx";
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

import { useProfile } from "@lango/client/react";
import { formatTime, useLanguage } from "@lango/interface";
import { useQuery } from "@tanstack/react-query";
import { useAuditTexts } from "../../audit/texts.ts";
import { Card } from "../../frame/card.tsx";
import { Loaded } from "../../notices/loaded.tsx";
import { usePlatform } from "../../session/platform.ts";
import { useZone } from "../../tenant/use-tenant.ts";
import { wordFor } from "../../texts/texts.ts";
import { namesQuery, recentQuery } from "./overview.queries.ts";
import { useOverviewTexts } from "./texts.ts";

/** What was changed last, by whom and when. For administrators alone. */
export function RecentCard({ slug }: { slug: string }) {
	const platform = usePlatform();
	const recent = useQuery(recentQuery(platform, slug));
	const names = useQuery(namesQuery(platform, slug)).data;
	const profile = useProfile();
	const words = useOverviewTexts();
	const { actions } = useAuditTexts();
	const zone = { language: useLanguage(), timeZone: useZone() };
	const who = (id: string | null) => {
		const name = id === profile?.userId ? words.you : names?.get(id ?? "");
		return name === undefined ? "" : words.by(name);
	};
	return (
		<Card title={words.recent}>
			<Loaded query={recent}>
				{(all) =>
					all.length === 0 ? (
						<p className="text-quiet">{words.noRecent}</p>
					) : (
						<ol className="divide-y divide-hair">
							{all.map(({ id, at, action, actor_user_id }) => (
								<li key={id} className="py-2 first:pt-0 last:pb-0">
									<span className="block wrap-anywhere">{wordFor(actions, action)}</span>
									<span className="text-quiet">
										{formatTime(at, zone)} {who(actor_user_id)}
									</span>
								</li>
							))}
						</ol>
					)
				}
			</Loaded>
		</Card>
	);
}

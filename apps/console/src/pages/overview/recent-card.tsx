import { useProfile } from "@lango/client/react";
import type { TenantAuditEntry } from "@lango/contracts";
import { useQuery } from "@tanstack/react-query";
import { useAuditTexts } from "../../audit/texts.ts";
import { Card } from "../../layout/section.tsx";
import { Loaded } from "../../notices/loaded.tsx";
import { usePlatform } from "../../platform.ts";
import { useFormat } from "../../tenant/use-format.ts";
import { wordFor } from "../../texts/texts.ts";
import { recentQuery } from "./overview.queries.ts";
import { useOverviewTexts } from "./texts.ts";

/** The most recent changes, with actor and time. For administrators only. */
export function RecentCard({ slug }: { slug: string }) {
	const platform = usePlatform();
	const recent = useQuery(recentQuery(platform, slug));
	const profile = useProfile();
	const words = useOverviewTexts();
	const { actions } = useAuditTexts();
	const format = useFormat();
	const who = ({ actor_user_id: id, actor_name }: TenantAuditEntry) => {
		const name = id !== null && id === profile?.userId ? words.you : actor_name;
		return name === null ? "" : words.by(name);
	};
	return (
		<Card title={words.recent}>
			<Loaded query={recent}>
				{(all) =>
					all.length === 0 ? (
						<p className="text-quiet">{words.noRecent}</p>
					) : (
						<ol className="divide-y divide-hair">
							{all.map((entry) => (
								<li key={entry.id} className="py-2 first:pt-0 last:pb-0">
									<span className="block wrap-anywhere">{wordFor(actions, entry.action)}</span>
									<span className="text-quiet">
										{format.time(entry.at)} {who(entry)}
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

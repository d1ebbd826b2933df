import type { Usage } from "@lango/contracts";
import { useQuery } from "@tanstack/react-query";
import { Badge } from "../../layout/badge.tsx";
import { Card } from "../../layout/section.tsx";
import { Loaded } from "../../notices/loaded.tsx";
import { usePlatform } from "../../platform.ts";
import { useFormat } from "../../tenant/use-format.ts";
import { wordFor } from "../../texts/texts.ts";
import { levelOf, Meter } from "./meter.tsx";
import { usageQuery } from "./overview.queries.ts";
import { type OverviewTexts, useOverviewTexts } from "./texts.ts";

/** The usage of the plan's limits, each as a bar and as text. */
export function UsageCard({ tenantId }: { tenantId: string }) {
	const usage = useQuery(usageQuery(usePlatform(), tenantId));
	const words = useOverviewTexts();
	return (
		<Card title={words.usage}>
			<p className="-mt-3 mb-4 text-quiet">{words.usageLead}</p>
			<Loaded query={usage} room="min-h-80">
				{(all) => (
					<ul className="grid gap-x-8 gap-y-5 sm:grid-cols-2">
						{all.filter(isCounted).map((one) => (
							<UsageLine key={one.metric} usage={one} />
						))}
					</ul>
				)}
			</Loaded>
		</Card>
	);
}

/** No service counts administrators yet (§7), so a zero would be wrong. */
const isCounted = ({ metric, used }: Usage) => metric !== "admin_count" || used > 0;

function UsageLine({ usage }: { usage: Usage }) {
	const format = useFormat();
	const words = useOverviewTexts();
	const { metric, used, overage, limit_value: limit, window } = usage;
	const isBounded = limit !== null && limit > 0;
	const level = isBounded ? levelOf(used + overage, limit) : "free";
	return (
		<li>
			<p className="font-semibold">{wordFor(words.metrics, metric)}</p>
			<p className="mb-1.5 flex flex-wrap items-baseline gap-x-2 tabular-nums">
				<span>{say({ used, limit, words, number: format.number })}</span>
				<span className="text-quiet">{words.windows[window]}</span>
				{overage > 0 && <Badge kind="error">{words.beyond(format.number(overage))}</Badge>}
				{overage === 0 && level === "full" && <Badge kind="warning">{words.full}</Badge>}
				{level === "near" && <Badge kind="warning">{words.near}</Badge>}
			</p>
			{isBounded && <Meter used={used} limit={limit} overage={overage} />}
		</li>
	);
}

type Said = { used: number; limit: number | null; words: OverviewTexts; number: (value: number) => string };

function say({ used, limit, words, number }: Said): string {
	if (limit === null || limit === -1) return words.free(number(used));
	if (limit === 0 && used === 0) return words.notIncluded;
	return words.of(number(used), number(limit));
}

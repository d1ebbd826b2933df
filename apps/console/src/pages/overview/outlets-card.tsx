import { useQuery } from "@tanstack/react-query";
import { Card } from "../../layout/section.tsx";
import { Loaded } from "../../notices/loaded.tsx";
import { usePlatform } from "../../platform.ts";
import { outletsQuery } from "../../tenant/tenant.queries.ts";
import { useTexts } from "../../texts/texts.ts";
import { useOverviewTexts } from "./texts.ts";

const shownMax = 6;

/** The open outlets and their number. */
export function OutletsCard({ slug }: { slug: string }) {
	const outlets = useQuery(outletsQuery(usePlatform(), slug));
	const words = useOverviewTexts();
	const { useCases } = useTexts();
	const count = outlets.data?.length ?? 0;
	return (
		<Card
			title={words.outlets}
			aside={count > 0 && <span className="text-quiet">{words.outletCount(count)}</span>}
		>
			<Loaded query={outlets}>
				{(all) => (
					<>
						{all.length === 0 && <p className="text-quiet">{words.noOutlets}</p>}
						<ul className="divide-y divide-hair">
							{all.slice(0, shownMax).map(({ id, name, use_case }) => (
								<li
									key={id}
									className="flex flex-wrap items-baseline justify-between gap-x-4 py-2 first:pt-0 last:pb-0"
								>
									<span className="wrap-anywhere">{name}</span>
									<span className="text-quiet">{useCases[use_case]}</span>
								</li>
							))}
						</ul>
					</>
				)}
			</Loaded>
		</Card>
	);
}

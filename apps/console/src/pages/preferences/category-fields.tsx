import { ChecksField } from "@lango/interface";
import type { Field } from "../../forms/submit-form.tsx";
import { Badge } from "../../layout/badge.tsx";
import { wordFor } from "../../texts/texts.ts";
import { channels } from "../templates/draft/templates.queries.ts";
import { useTemplateTexts } from "../templates/draft/texts.ts";
import type { CategoryChoices } from "./preference.queries.ts";
import { fieldOf } from "./preference-form.ts";
import { usePreferenceTexts } from "./texts.ts";

/** Without `field` they are only read. */
type CategoryFields = { categories: readonly CategoryChoices[]; field?: Field };

/** The channels of each category. Critical categories are shown as locked. */
export function CategoryFields({ categories, field }: CategoryFields) {
	const words = usePreferenceTexts();
	const { channelNames, categories: names } = useTemplateTexts();
	return (
		<div className="grid gap-x-10 lg:grid-cols-2">
			{categories.map(({ category, is_critical, channels: inForce }) =>
				is_critical ? (
					<div key={category} className="mt-5">
						<p className="flex flex-wrap items-center gap-3 font-semibold">
							{wordFor(names, category)} <Badge>{words.locked}</Badge>
						</p>
						<p className="mt-1.5 text-quiet">{words.lockedBecause}</p>
					</div>
				) : (
					<ChecksField
						key={category}
						{...(field?.(fieldOf(category)) ?? { name: fieldOf(category) })}
						legend={wordFor(names, category)}
						choices={channels.map((value) => ({ value, label: channelNames[value] }))}
						checked={channels.filter((channel) => inForce[channel].is_on)}
					/>
				),
			)}
		</div>
	);
}

import type { Choice } from "./choice-field.tsx";
import { boxAria, GroupFrame, type GroupWords } from "./group-frame.tsx";

type ChecksField = GroupWords & {
	choices: readonly Choice[];
	/** The values that are checked at first. */
	checked: readonly string[];
	/** What is said where there is nothing to choose from. */
	empty?: string;
};

/** Any number of a few: checkboxes, side by side where there is room. */
export function ChecksField({ choices, checked, empty, ...words }: ChecksField) {
	return (
		<GroupFrame {...words}>
			{choices.length === 0 && <p className="text-quiet">{empty}</p>}
			<div className="grid gap-x-6 gap-y-1 sm:grid-cols-2">
				{choices.map(({ value, label, detail }) => (
					<label key={value} className="flex min-h-11 cursor-pointer items-start gap-3 py-2">
						<input
							{...boxAria(words)}
							type="checkbox"
							name={words.name}
							value={value}
							defaultChecked={checked.includes(value)}
							className="mt-1 size-4 shrink-0 accent-link"
						/>
						<span className="min-w-0">
							<span className="block wrap-anywhere">{label}</span>
							{detail !== undefined && <span className="block text-quiet">{detail}</span>}
						</span>
					</label>
				))}
			</div>
		</GroupFrame>
	);
}

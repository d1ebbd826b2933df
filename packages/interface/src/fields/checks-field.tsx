import type { Choice } from "./choice-field.tsx";

type ChecksField = {
	/** Every box has it; a form's data has it once for each that is checked. */
	name: string;
	legend: string;
	choices: readonly Choice[];
	/** The values that are checked at first. */
	checked: readonly string[];
	/** What is said where there is nothing to choose from. */
	empty?: string;
};

/** Any number of a few: checkboxes, side by side where there is room. */
export function ChecksField({ name, legend, choices, checked, empty }: ChecksField) {
	return (
		<fieldset className="mt-5">
			<legend className="mb-1.5 block font-semibold">{legend}</legend>
			{choices.length === 0 && <p className="text-quiet">{empty}</p>}
			<div className="grid gap-x-6 gap-y-1 sm:grid-cols-2">
				{choices.map(({ value, label, detail }) => (
					<label key={value} className="flex min-h-11 cursor-pointer items-start gap-3 py-2">
						<input
							type="checkbox"
							name={name}
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
		</fieldset>
	);
}

import { boxAria, GroupFrame, type GroupWords, SearchField } from "@lango/interface";
import { useState } from "react";
import { useFieldTexts } from "./texts.ts";

type CheckChoice = { value: string; label: string; detail?: string };

type CheckList = GroupWords & {
	legend: string;
	choices: readonly CheckChoice[];
	chosen: readonly string[];
	onChange: (chosen: readonly string[]) => void;
	/** Searches elsewhere: the choices are what was found. Must be a stable function, such as a setter. */
	onSearch?: (text: string) => void;
};

/** Lists of at least this length have a search field. */
const searchedFrom = 12;

/**
 * Checkboxes, with a search field for long lists. What the search hides stays in the form, so that its ticks
 * are kept with the other entries.
 */
export function CheckList({ legend, choices, chosen, onChange, onSearch, ...field }: CheckList) {
	const words = useFieldTexts();
	const [search, setSearch] = useState("");
	const isWrong = field.isInvalid === true || field.error !== undefined;
	const change = (value: string, isChecked: boolean) =>
		onChange(isChecked ? [...chosen, value] : chosen.filter((one) => one !== value));
	return (
		<GroupFrame
			{...field}
			legend={
				<>
					{legend}
					{chosen.length > 0 && (
						<span className="ml-2 font-normal text-quiet">{words.chosen(chosen.length)}</span>
					)}
				</>
			}
		>
			{(onSearch !== undefined || choices.length >= searchedFrom) && (
				<div className="mb-2">
					<SearchField label={words.search(legend)} onSearch={onSearch ?? setSearch} />
				</div>
			)}
			<div
				className={`grid max-h-72 overflow-y-auto in-[dialog]:max-h-none rounded-lg border bg-field py-1 ${isWrong ? "border-error" : "border-edge"}`}
			>
				{!choices.some((choice) => isFound(choice, search)) && (
					<p className="px-3.5 py-2.5 text-quiet">{words.noneFound}</p>
				)}
				{choices.map((choice) => (
					<label
						key={choice.value}
						hidden={!isFound(choice, search)}
						className="flex min-h-11 cursor-pointer items-start gap-3 px-3.5 py-2 hover:bg-wall has-focus-visible:outline-3 has-focus-visible:-outline-offset-2 has-focus-visible:outline-ring"
					>
						<input
							{...boxAria(field)}
							type="checkbox"
							name={field.name}
							value={choice.value}
							checked={chosen.includes(choice.value)}
							onChange={(event) => change(choice.value, event.target.checked)}
							className="mt-1 size-4 shrink-0 accent-link outline-none"
						/>
						<span className="min-w-0">
							<span className="block wrap-anywhere">{choice.label}</span>
							{choice.detail !== undefined && (
								<span className="block text-quiet wrap-anywhere">{choice.detail}</span>
							)}
						</span>
					</label>
				))}
			</div>
		</GroupFrame>
	);
}

function isFound({ label, detail = "", value }: CheckChoice, search: string): boolean {
	return `${label} ${detail} ${value}`.toLocaleLowerCase().includes(search.toLocaleLowerCase());
}

import type { ReactNode } from "react";
import { boxAria, GroupFrame, type GroupWords } from "./group-frame.tsx";

export type Choice = { value: string; label: string; detail?: ReactNode };

type ChoiceField = GroupWords & {
	choices: readonly Choice[];
	value: string;
	onChoose: (value: string) => void;
	/** Side by side where there is room. */
	isWide?: boolean;
};

/** One of a few that each need a word of their own: radio buttons as cards. */
export function ChoiceField({ choices, value, onChoose, isWide = false, ...words }: ChoiceField) {
	return (
		<GroupFrame {...words}>
			<div className={`grid gap-2 ${isWide ? "sm:grid-cols-2" : ""}`}>
				{choices.map((choice) => (
					<label
						key={choice.value}
						className="flex min-h-12 cursor-pointer items-start gap-3 rounded-lg border border-edge bg-field px-3.5 py-2.5 has-checked:border-link has-checked:ring-1 has-checked:ring-link has-focus-visible:outline-3 has-focus-visible:outline-offset-2 has-focus-visible:outline-ring"
					>
						<input
							{...boxAria(words)}
							type="radio"
							name={words.name}
							value={choice.value}
							checked={choice.value === value}
							onChange={() => onChoose(choice.value)}
							className="mt-1.5 size-4 shrink-0 accent-link outline-none"
						/>
						<span className="min-w-0">
							<span className="block text-lg">{choice.label}</span>
							{choice.detail !== undefined && <span className="block text-quiet">{choice.detail}</span>}
						</span>
					</label>
				))}
			</div>
		</GroupFrame>
	);
}

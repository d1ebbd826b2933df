import type { PublicOutlet } from "@lango/contracts";
import { useTexts } from "../../texts/texts.ts";
import { useSelectOutletTexts } from "./texts.ts";

type OutletList = {
	outlets: readonly PublicOutlet[];
	/** Whether "all outlets" can be chosen. */
	hasAll: boolean;
	lastId: string | undefined;
	/** The outlet whose choice is being saved. */
	chosenId: string | undefined;
	onChoose: (outletId: string) => void;
};

/** The outlets to choose from, as large buttons. */
export function OutletList({ outlets, hasAll, lastId, chosenId, onChoose }: OutletList) {
	const texts = useTexts();
	const words = useSelectOutletTexts();
	const choices = [
		...(hasAll ? [{ id: "all", name: texts.allOutlets, detail: words.all }] : []),
		...outlets.map(({ id, name, use_case }) => ({ id, name, detail: texts.useCases[use_case] })),
	];
	return (
		<ul className="grid w-full gap-3">
			{choices.map(({ id, name, detail }) => (
				<li key={id}>
					<button
						type="button"
						aria-disabled={chosenId !== undefined}
						onClick={() => chosenId === undefined && onChoose(id)}
						className="flex min-h-16 w-full flex-wrap items-center justify-between gap-x-4 rounded-lg border border-edge bg-field px-4 py-3 text-left hover:border-link aria-disabled:cursor-progress aria-disabled:opacity-70"
					>
						<span className="min-w-0">
							<span className="block text-lg font-semibold wrap-anywhere">{name}</span>
							<span className="block text-quiet">{detail}</span>
						</span>
						<span className="text-quiet">
							{chosenId === id ? words.choosing : id === lastId && words.last}
						</span>
					</button>
				</li>
			))}
		</ul>
	);
}

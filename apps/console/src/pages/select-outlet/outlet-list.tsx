import type { PublicOutlet } from "@lango/contracts";
import { ChoiceButtons } from "@lango/interface";
import { useOutletSwitchTexts } from "../../outlet-switch/texts.ts";
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

/** The outlets to choose from, as large buttons; many of them with a search. */
export function OutletList({ outlets, hasAll, lastId, chosenId, onChoose }: OutletList) {
	const texts = useTexts();
	const words = useSelectOutletTexts();
	const switching = useOutletSwitchTexts();
	const choices = [
		...(hasAll ? [{ id: "all", name: texts.allOutlets, detail: words.all }] : []),
		...outlets.map(({ id, name, use_case }) => ({ id, name, detail: texts.useCases[use_case] })),
	];
	return (
		<ChoiceButtons
			{...{ choices, lastId, chosenId, onChoose }}
			search={switching.search}
			notFound={switching.none}
			last={words.last}
			choosing={words.choosing}
		/>
	);
}

import type { PublicOutlet } from "@lango/contracts";
import { SearchField, SelectField } from "@lango/interface";
import { useState } from "react";
import { findOutlets } from "../../outlets/find-outlets.ts";
import { useOutletTexts } from "../../outlets/texts.ts";
import { useAccessTexts } from "../texts.ts";

/** From so many outlets on they are searched; fewer are seen at a glance. */
const searchedFrom = 12;

type OutletField = {
	outlets: readonly PublicOutlet[];
	/** The id of the one that is chosen; "" for the whole organisation. */
	chosen: string;
	onChoose: (outletId: string) => void;
	isFaulty: boolean;
};

/** Where a role counts: at one outlet, found by its name or code where there are many, or everywhere. */
export function OutletField({ outlets, chosen, onChoose, isFaulty }: OutletField) {
	const words = useAccessTexts();
	const { search } = useOutletTexts();
	const [part, setPart] = useState("");
	const found = findOutlets(outlets, { search: part, shown: "open" });
	// What is chosen stays in the list, whatever is looked for after it.
	const offered = outlets.filter((outlet) => found.includes(outlet) || outlet.id === chosen);
	return (
		<SelectField
			name="outlet_id"
			label={words.outlet}
			above={outlets.length >= searchedFrom && <SearchField label={search} onSearch={setPart} />}
			value={chosen}
			onChange={(event) => onChoose(event.target.value)}
			isFaulty={isFaulty}
			options={[
				{ value: "", label: words.everywhere },
				...offered.map(({ id, name }) => ({ value: id, label: name })),
			]}
		/>
	);
}

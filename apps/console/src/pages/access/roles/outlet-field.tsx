import type { PublicOutlet } from "@lango/contracts";
import { SearchField, SelectField } from "@lango/interface";
import { useState } from "react";
import { findOpenOutlets } from "../../outlets/find-outlets.ts";
import { useOutletTexts } from "../../outlets/texts.ts";
import { useAccessTexts } from "../texts.ts";

/** Lists of at least this length have a search field. */
const searchedFrom = 12;

type OutletField = {
	outlets: readonly PublicOutlet[];
	/** The id of the selected outlet; "" for the whole organisation. */
	chosen: string;
	onChoose: (outletId: string) => void;
	isInvalid: boolean;
	error: string | undefined;
};

/**
 * Selects where a role applies: at one outlet or in the whole organisation. Long lists have a search field.
 */
export function OutletField({ outlets, chosen, onChoose, isInvalid, error }: OutletField) {
	const words = useAccessTexts();
	const { search } = useOutletTexts();
	const [part, setPart] = useState("");
	const found = findOpenOutlets(outlets, part);
	// The selected outlet stays in the list during a search.
	const offered = outlets.filter((outlet) => found.includes(outlet) || outlet.id === chosen);
	return (
		<SelectField
			name="outlet_id"
			label={words.outlet}
			above={outlets.length >= searchedFrom && <SearchField label={search} onSearch={setPart} />}
			value={chosen}
			onChange={(event) => onChoose(event.target.value)}
			isInvalid={isInvalid}
			error={error}
			options={[
				{ value: "", label: words.everywhere },
				...offered.map(({ id, name }) => ({ value: id, label: name })),
			]}
		/>
	);
}

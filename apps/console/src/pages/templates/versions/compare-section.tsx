import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Section } from "../../../layout/section.tsx";
import { FilterSelect, Filters } from "../../../lists/filters.tsx";
import { usePagedList } from "../../../lists/paged-list.tsx";
import { Loaded } from "../../../notices/loaded.tsx";
import { usePlatform } from "../../../platform.ts";
import { type Draft, draftOf } from "../draft/draft.ts";
import {
	asked,
	type Content,
	templateKey,
	type Version,
	type VersionSummary,
	versionQuery,
	versionsAddress,
} from "../draft/templates.queries.ts";
import { useTemplateTexts } from "../draft/texts.ts";
import type { Editing } from "../draft/use-draft.ts";
import { DraftDifference } from "./draft-difference.tsx";

/** `typed`, `live`, `platform`, or the number of a version. */
type Side = string;

/** Compares two of: what is typed, what is in force, the platform's template, and any version. */
export function CompareSection({ editing }: { editing: Editing; content: Content | undefined }) {
	const words = useTemplateTexts();
	const { base, place } = editing;
	const [isOpen, setOpen] = useState(false);
	const [from, setFrom] = useState<Side>(base.platform === null ? "live" : "platform");
	const [to, setTo] = useState<Side>("typed");
	const list = usePagedList<VersionSummary>({
		key: [...templateKey(place.scope, place.path), "versions"],
		address: versionsAddress(usePlatform(), place),
		...asked(place.scope),
		pageSize: 50,
	});
	const options = [
		{ value: "typed", label: words.sides.typed },
		...(base.live === null ? [] : [{ value: "live", label: words.sides.live }]),
		...(base.platform === null ? [] : [{ value: "platform", label: words.sides.platform }]),
		...(list.query.data?.items ?? []).map(({ version }) => ({
			value: `${version}`,
			label: words.versionNumber(version),
		})),
	];
	if (base.live === null && base.platform === null && (list.query.data?.items.length ?? 0) === 0) return null;
	return (
		<Section title={words.differences} lead={words.differencesLead}>
			<Filters>
				<FilterSelect
					label={words.from}
					value={from}
					options={options}
					onChange={(side) => choose(setFrom, side)}
				/>
				<FilterSelect
					label={words.to}
					value={to}
					options={options}
					onChange={(side) => choose(setTo, side)}
				/>
			</Filters>
			{isOpen ? (
				<Compared editing={editing} sides={[from, to]} options={options} />
			) : (
				<button
					type="button"
					onClick={() => setOpen(true)}
					className="min-h-11 font-semibold text-link underline underline-offset-4"
				>
					{words.showDifferences}
				</button>
			)}
		</Section>
	);
	function choose(set: (side: Side) => void, side: Side) {
		set(side);
		setOpen(true);
	}
}

type Compared = {
	editing: Editing;
	sides: readonly [from: Side, to: Side];
	options: ReadonlyArray<{ value: Side; label: string }>;
};

function Compared({ editing, sides: [from, to], options }: Compared) {
	const before = useSide(editing, from);
	const after = useSide(editing, to);
	const nameOf = (side: Side) => options.find(({ value }) => value === side)?.label ?? side;
	return (
		<Loaded query={before}>
			{(left) => (
				<Loaded query={after}>
					{(right) => <DraftDifference before={left} after={right} names={[nameOf(from), nameOf(to)]} />}
				</Loaded>
			)}
		</Loaded>
	);
}

/** One side of the comparison; only an older version is loaded. */
function useSide({ base, typed, place }: Editing, side: Side) {
	const number = Number(side);
	const isNumber = Number.isInteger(number);
	const stored = useQuery({
		...versionQuery(usePlatform(), place, isNumber ? number : undefined),
		select: (version: Version) => draftOf({ ...base, draft: version }),
	});
	if (isNumber) return stored;
	const known: Readonly<Record<string, Draft>> = {
		typed,
		live: draftOf({ ...base, draft: null }),
		platform: draftOf({ ...base, draft: base.platform }),
	};
	return { ...stored, data: known[side], error: null } as typeof stored;
}

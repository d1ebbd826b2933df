import {
	boxAria,
	type Choice,
	GroupFrame,
	type GroupWords,
	SearchField,
	useKeptNote,
} from "@lango/interface";
import { keepPreviousData, type UseQueryOptions, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Loaded } from "../notices/loaded.tsx";

type FoundChoice<T> = GroupWords & {
	/** The label of the search field. */
	search: string;
	/** The query that finds what contains a text; "" for the first ones. */
	queryFor: (text: string) => UseQueryOptions<T[], Error, T[], string[]>;
	choiceOf: (item: T) => Choice;
	chosen: T | undefined;
	onChoose: (item: T) => void;
	/** Under which name what is chosen is kept, so that it has a field again after a reload. */
	keptAs: string;
	/** Shown if nothing is found. */
	empty: string;
	/** Shown below so many as a query returns at most: there may be more. */
	more?: { count: number; text: string };
};

/** One of many, which the service searches: radio buttons. What is chosen stays in the list. */
export function FoundChoice<T>({ search, queryFor, keptAs, onChoose, ...words }: FoundChoice<T>) {
	const [text, setText] = useState("");
	const kept = useKeptNote<T>(keptAs);
	const choose = (item: T) => {
		kept.write(item);
		onChoose(item);
	};
	const list = { ...words, onChoose: choose };
	const query = useQuery({ ...queryFor(text), placeholderData: keepPreviousData });
	const { choiceOf, chosen, empty, more } = list;
	return (
		<GroupFrame {...list}>
			<SearchField label={search} onSearch={setText} />
			<div
				aria-busy={query.isPlaceholderData}
				className="mt-2 grid max-h-60 overflow-y-auto in-[dialog]:max-h-none rounded-lg border border-edge bg-field py-1"
			>
				<Loaded query={query}>
					{(found) => (
						<>
							{found.length === 0 && (
								<p role="status" className="px-3.5 py-2.5 text-quiet">
									{empty}
								</p>
							)}
							{withChosen(found, chosen ?? kept.read(), choiceOf).map((item) => (
								<Option key={choiceOf(item).value} {...list} item={item} />
							))}
						</>
					)}
				</Loaded>
			</div>
			{more !== undefined && (query.data?.length ?? 0) >= more.count && (
				<p className="mt-1.5 text-quiet">{more.text}</p>
			)}
		</GroupFrame>
	);
}

function withChosen<T>(found: readonly T[], chosen: T | undefined, choiceOf: (item: T) => Choice) {
	const isFound = chosen === undefined || found.some((one) => choiceOf(one).value === choiceOf(chosen).value);
	return isFound ? found : [chosen, ...found];
}

type Option<T> = Pick<FoundChoice<T>, keyof GroupWords | "choiceOf" | "chosen" | "onChoose"> & { item: T };

function Option<T>({ item, choiceOf, chosen, onChoose, ...field }: Option<T>) {
	const { value, label, detail } = choiceOf(item);
	return (
		<label className="flex min-h-11 cursor-pointer items-start gap-3 px-3.5 py-2 hover:bg-wall has-focus-visible:outline-3 has-focus-visible:-outline-offset-2 has-focus-visible:outline-ring">
			<input
				{...boxAria(field)}
				type="radio"
				name={field.name}
				value={value}
				checked={chosen !== undefined && choiceOf(chosen).value === value}
				onChange={() => onChoose(item)}
				className="mt-1 size-4 shrink-0 accent-link outline-none"
			/>
			<span className="min-w-0">
				<span className="block wrap-anywhere">{label}</span>
				{detail !== undefined && <span className="block text-quiet wrap-anywhere">{detail}</span>}
			</span>
		</label>
	);
}

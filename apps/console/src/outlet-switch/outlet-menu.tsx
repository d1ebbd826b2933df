import type { Ready } from "@lango/client";
import { useClient } from "@lango/client/react";
import { findRows } from "@lango/interface";
import { useQuery } from "@tanstack/react-query";
import { type KeyboardEvent, useEffect, useId, useRef, useState } from "react";
import { Loaded } from "../notices/loaded.tsx";
import { useTexts } from "../texts/texts.ts";
import { useOutletSwitchTexts } from "./texts.ts";

type Offered = { id: string; name: string; detail: string };
type Choosing = { currentId: string; onChoose: (outletId: string) => void };

/** The outlets to which the person may switch, with a search. The keyboard alone is enough. */
export function OutletMenu({ slug, ready, ...choosing }: Choosing & { slug: string; ready: Ready }) {
	const client = useClient();
	const texts = useTexts();
	const offered = useQuery({
		queryKey: ["switchable-outlets", slug],
		queryFn: () => client.switchableOutlets(),
		gcTime: 0,
		staleTime: 0,
	});
	const all = { id: "all", name: texts.allOutlets, detail: "" };
	return (
		<Loaded query={offered}>
			{(outlets) => (
				<Search
					{...choosing}
					lastId={client.lastUsedOutletIds(slug)[0]}
					offered={[
						...(ready.outletScope.kind === "all" ? [all] : []),
						...outlets.map(({ id, name, use_case }) => ({ id, name, detail: texts.useCases[use_case] })),
					]}
				/>
			)}
		</Loaded>
	);
}

type Search = Choosing & { offered: readonly Offered[]; lastId: string | undefined };

/** A field with a list (the combobox pattern of WAI-ARIA): the focus stays in the field. */
function Search({ offered, currentId, lastId, onChoose }: Search) {
	const words = useOutletSwitchTexts();
	const [text, setText] = useState("");
	const [active, setActive] = useState(0);
	const field = useRef<HTMLInputElement>(null);
	const listId = useId();
	const found = findRows(offered, text, ({ name, detail }) => `${name} ${detail}`);
	const at = Math.min(active, found.length - 1);
	const optionId = (index: number) => `${listId}-${index}`;
	useEffect(() => field.current?.focus(), []);
	useEffect(() => {
		if (at >= 0) document.getElementById(`${listId}-${at}`)?.scrollIntoView({ block: "nearest" });
	}, [listId, at]);
	const onKeyDown = (event: KeyboardEvent) => {
		const next = nextOf(event.key, at, found.length);
		const chosen = event.key === "Enter" ? found[at] : undefined;
		if (next === undefined && event.key !== "Enter") return;
		event.preventDefault();
		if (next !== undefined) setActive(next);
		if (chosen !== undefined) onChoose(chosen.id);
	};
	return (
		<>
			<input
				ref={field}
				type="search"
				role="combobox"
				aria-label={words.search}
				aria-expanded="true"
				aria-controls={listId}
				aria-autocomplete="list"
				aria-activedescendant={at < 0 ? undefined : optionId(at)}
				placeholder={words.search}
				autoComplete="off"
				value={text}
				maxLength={100}
				onChange={({ target }) => {
					setText(target.value);
					setActive(0);
				}}
				onKeyDown={onKeyDown}
				className="min-h-11 w-full rounded-lg border border-edge bg-field px-3.5 placeholder:text-quiet"
			/>
			<div
				id={listId}
				role="listbox"
				aria-label={words.change}
				className="mt-2 max-h-[60dvh] overflow-y-auto"
			>
				{found.map((outlet, index) => (
					<Option
						key={outlet.id}
						{...outlet}
						optionId={optionId(index)}
						isActive={index === at}
						isCurrent={outlet.id === currentId}
						isLast={outlet.id === lastId}
						onChoose={onChoose}
					/>
				))}
			</div>
			<p role="status" className="px-3 text-quiet not-empty:py-2">
				{found.length === 0 ? words.none : null}
			</p>
		</>
	);
}

/** The option that a key leads to; undefined for other keys. */
function nextOf(key: string, at: number, count: number): number | undefined {
	if (key === "ArrowDown") return Math.min(at + 1, count - 1);
	if (key === "ArrowUp") return Math.max(at - 1, 0);
	if (key === "PageDown") return Math.min(at + 8, count - 1);
	return key === "PageUp" ? Math.max(at - 8, 0) : undefined;
}

type Option = Offered & {
	optionId: string;
	/** Whether Enter chooses it. */
	isActive: boolean;
	isCurrent: boolean;
	isLast: boolean;
	onChoose: (outletId: string) => void;
};

function Option({ id, name, detail, optionId, isActive, isCurrent, isLast, onChoose }: Option) {
	const words = useOutletSwitchTexts();
	return (
		// biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the field, which has the focus
		<div
			id={optionId}
			role="option"
			tabIndex={-1}
			aria-selected={isCurrent}
			onPointerDown={(event) => event.preventDefault()}
			onClick={() => onChoose(id)}
			className={`flex min-h-11 cursor-pointer items-center justify-between gap-3 rounded-lg px-3 py-1.5 hover:bg-hair ${isActive ? "bg-hair outline-2 -outline-offset-2 outline-ring" : ""}`}
		>
			<span className="min-w-0">
				<span className={`block wrap-anywhere ${isCurrent ? "font-semibold" : ""}`}>{name}</span>
				<span className="block text-sm text-quiet empty:hidden">{detail}</span>
			</span>
			<span className="shrink-0 text-sm text-quiet">
				{isCurrent ? words.current : isLast ? words.last : null}
			</span>
		</div>
	);
}

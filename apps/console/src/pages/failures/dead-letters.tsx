import type { Column } from "@lango/interface";
import { ConfirmButton } from "../../dialogs/confirm-button.tsx";
import { Section } from "../../layout/section.tsx";
import { PagedList, usePagedList } from "../../lists/paged-list.tsx";
import { usePlatform } from "../../platform.ts";
import { useFormat } from "../../tenant/use-format.ts";
import {
	type DeadLetter,
	discard,
	failuresAddress,
	failuresKey,
	redrive,
	type Service,
} from "./failure.queries.ts";
import { RedriveAll } from "./redrive-all.tsx";
import { useFailureTexts } from "./texts.ts";

/** Events that a service could not apply, oldest first. */
export function DeadLetters({ service }: { service: Service }) {
	const words = useFailureTexts();
	const list = usePagedList<DeadLetter>({
		key: [...failuresKey(service.name), "letters"],
		address: failuresAddress(service, "dead-letters"),
		hasTotal: false,
		fields: [{ kind: "search", name: "type", label: words.searchType }],
		name: "events",
		pageSize: 10,
	});
	const columns = useColumns(service);
	const isMany = (list.query.data?.items.length ?? 0) > 1 || list.pages.number > 1;
	return (
		<Section
			title={words.letters}
			lead={words.lettersLead}
			actions={isMany && !list.filters.isFiltered && <RedriveAll service={service} kind="dead-letters" />}
		>
			<PagedList
				list={list}
				caption={words.letters}
				columns={columns}
				keyOf={({ id }) => id}
				empty={words.noLetters}
			/>
		</Section>
	);
}

function useColumns(service: Service): Column<DeadLetter>[] {
	const words = useFailureTexts();
	const format = useFormat();
	return [
		{ head: words.event, cell: (letter) => <Letter letter={letter} /> },
		{
			head: words.why,
			cell: ({ reason, attempts }) => (
				<>
					{reason}
					<span className="block text-quiet">{words.tried(attempts)}</span>
				</>
			),
		},
		{ head: words.since, cell: ({ dead_at }) => format.time(dead_at) },
		{ head: words.waiting, isNumber: true, cell: ({ waiting }) => format.number(waiting) },
		{
			head: words.actions,
			isHeadHidden: true,
			isNumber: true,
			cell: (letter) => <Actions service={service} letter={letter} />,
		},
	];
}

/** The event's type and subject, and its body in a collapsed part. */
function Letter({ letter: { type, subject, body } }: { letter: DeadLetter }) {
	const words = useFailureTexts();
	return (
		<>
			<span className="font-mono text-base">{type}</span>
			{subject !== null && (
				<span className="block font-mono text-base font-normal text-quiet">{subject}</span>
			)}
			<details className="font-normal">
				<summary className="inline-flex min-h-11 cursor-pointer items-center text-base text-link underline decoration-1 underline-offset-4 rows:min-h-8">
					{words.show}
				</summary>
				<pre
					// biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached from the keyboard
					tabIndex={0}
					className="max-h-64 max-w-lg overflow-auto rounded-lg bg-hair p-3 text-base whitespace-pre-wrap wrap-anywhere"
				>
					{readable(body)}
				</pre>
			</details>
		</>
	);
}

/** Formats JSON with line breaks; returns any other text unchanged. */
function readable(body: string): string {
	try {
		return JSON.stringify(JSON.parse(body), null, 2);
	} catch {
		return body;
	}
}

function Actions({ service, letter: { id, type, waiting } }: { service: Service; letter: DeadLetter }) {
	const platform = usePlatform();
	const words = useFailureTexts();
	return (
		<div className="flex flex-wrap justify-end gap-2">
			<ConfirmButton
				texts={{ ...words.redrive, text: words.redrive.text(waiting) }}
				name={type}
				className="grow md:grow-0"
				action={() => redrive(platform, { service, kind: "dead-letters", id })}
				invalidates={failuresKey(service.name)}
				messages={words.errors}
			/>
			<ConfirmButton
				texts={{ ...words.discard, text: words.discard.text(waiting) }}
				isDestructive
				asksByName
				name={type}
				className="grow md:grow-0"
				action={() => discard(platform, service, id)}
				invalidates={failuresKey(service.name)}
				messages={words.errors}
			/>
		</div>
	);
}

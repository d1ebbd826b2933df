import { buttonLook, type Column, RowName } from "@lango/interface";
import { getRouteApi, Link } from "@tanstack/react-router";
import { Badge } from "../../layout/badge.tsx";
import { Page } from "../../layout/page.tsx";
import { choiceOf } from "../../lists/filter-bar.tsx";
import { PagedList, usePagedList } from "../../lists/paged-list.tsx";
import { usePlatform } from "../../platform.ts";
import { useFormat } from "../../tenant/use-format.ts";
import { wordFor } from "../../texts/texts.ts";
import { NotFoundPage } from "../errors/not-found-page.tsx";
import {
	type Exception,
	exceptionClasses,
	exceptionStates,
	exceptionsAddress,
	exceptionsKey,
} from "./exception.queries.ts";
import { OurSide, TheirSide } from "./exception-side.tsx";
import { ResolveButton } from "./resolve-button.tsx";
import { useExceptionTexts } from "./texts.ts";

const route = getRouteApi("/$slug/platform/exceptions");

/** `/{slug}/platform/exceptions`: what gateways and the treasury disagree about, with both sides. */
export function ExceptionsPage() {
	if (usePlatform().settings.services.treasury === undefined) return <NotFoundPage />;
	return <Exceptions />;
}

function Exceptions() {
	const words = useExceptionTexts();
	const list = usePagedList<Exception>({
		key: exceptionsKey,
		address: exceptionsAddress(usePlatform()),
		fields: [
			choiceOf("class", words.class, [exceptionClasses, words.classes]),
			choiceOf("state", words.state, [exceptionStates, words.states]),
		],
		outlet: "none",
	});
	return (
		<Page title={words.title} lead={words.lead}>
			<PagedList
				list={list}
				isMain
				caption={words.title}
				columns={useColumns()}
				keyOf={({ id }) => id}
				empty={words.none}
			/>
		</Page>
	);
}

function useColumns(): Column<Exception>[] {
	const { slug } = route.useParams();
	const words = useExceptionTexts();
	const format = useFormat();
	return [
		{
			head: words.exception,
			cell: (exception) => (
				<RowName detail={exception.subject}>{wordFor(words.classes, exception.class)}</RowName>
			),
		},
		{
			head: words.state,
			isLong: true,
			cell: ({ id, state, resolution }) => (
				<>
					<Badge kind={state === "open" ? "warning" : "done"}>{words.states[state]}</Badge>
					{resolution !== null && (
						<span className="block">
							{words.resolutions[resolution.as]}: {resolution.because}
						</span>
					)}
					{resolution?.as === "posted" && (
						<Link
							to="/$slug/platform/adjustments"
							params={{ slug }}
							search={{ exception_id: id }}
							className={buttonLook("quiet")}
						>
							{words.openAdjustment}
						</Link>
					)}
				</>
			),
		},
		{ head: words.ours, isLong: true, cell: (exception) => <OurSide exception={exception} /> },
		{ head: words.theirs, isLong: true, cell: (exception) => <TheirSide exception={exception} /> },
		{ head: words.raisedAt, cell: ({ raised_at }) => format.time(raised_at) },
		{
			head: words.amount,
			isNumber: true,
			cell: ({ amount_minor, currency }) => format.money(amount_minor, currency),
		},
		{
			...{ head: words.actions, isHeadHidden: true, isNumber: true },
			cell: (exception) => exception.state === "open" && <ResolveButton exception={exception} />,
		},
	];
}

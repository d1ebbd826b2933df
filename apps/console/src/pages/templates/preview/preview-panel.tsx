import { Notice } from "@lango/interface";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { ErrorNotice } from "../../../notices/error-notice.tsx";
import { usePlatform } from "../../../platform.ts";
import { useTexts } from "../../../texts/texts.ts";
import { readSamples } from "../draft/draft.ts";
import { useFindingText } from "../draft/finding-text.ts";
import { type Content, type PreviewBody, previewQuery, type Rendered } from "../draft/templates.queries.ts";
import { useTemplateTexts } from "../draft/texts.ts";
import { type Editing, findingsOf } from "../draft/use-draft.ts";
import { EmailFrame } from "./email-frame.tsx";
import { useSettled } from "./use-settled.ts";

/** What a recipient sees, rendered by the service with the samples while the author types. */
export function PreviewPanel({ editing, content }: { editing: Editing; content: Content }) {
	const words = useTemplateTexts();
	const textOf = useFindingText();
	const { loading } = useTexts();
	const body = useSettled(...bodyOf(editing, content));
	const query = useQuery({
		...previewQuery(usePlatform(), editing.place, body),
		placeholderData: keepPreviousData,
	});
	const { data, error, isFetching } = query;
	const findings = findingsOf(error);
	// The text of another content is not shown while this one is loaded.
	const isOther = body.channel !== content.channel || body.locale !== content.locale;
	return (
		<div aria-busy={isFetching}>
			{findings.length > 0 && (
				<Notice kind="warning">
					<p className="font-semibold">{words.notRendered}</p>
					<ul className="mt-1 wrap-anywhere">
						{findings.map((finding) => (
							<li key={`${finding.place} ${finding.reason}`}>{textOf(finding)}</li>
						))}
					</ul>
				</Notice>
			)}
			{error !== null && findings.length === 0 && (
				<ErrorNotice error={error} messages={words.errors} onRetry={query.refetch} />
			)}
			{data === undefined && error === null && <p role="status">{loading}</p>}
			{data !== undefined && error === null && !isOther && <Shown content={content} rendered={data} />}
		</div>
	);
}

function bodyOf({ typed, isOwn }: Editing, content: Content): [body: PreviewBody, key: string] {
	const { channel, locale, source, subject } = content;
	const body: PreviewBody = {
		...{ channel, locale, source, data: readSamples(typed).values },
		...(subject !== undefined && { subject }),
		...(isOwn && { variables: [...typed.variables] }),
	};
	return [body, JSON.stringify(body)];
}

function Shown({ content: { channel, locale }, rendered }: { content: Content; rendered: Rendered }) {
	const words = useTemplateTexts();
	const { subject, html, text, segments } = rendered;
	if (html !== undefined)
		return (
			<>
				<p className="mb-3 wrap-anywhere">
					<span className="text-quiet">{words.subject}: </span>
					<strong lang={locale}>{subject}</strong>
				</p>
				<EmailFrame html={html} locale={locale} />
				<details className="mt-3">
					<summary className="min-h-11 cursor-pointer py-2 text-link">{words.textPart}</summary>
					<p lang={locale} className="whitespace-pre-wrap wrap-anywhere">
						{text}
					</p>
				</details>
			</>
		);
	return (
		<>
			<div lang={locale} className="max-w-md rounded-2xl border border-hair bg-wall px-4 py-3">
				{subject !== undefined && <p className="font-semibold wrap-anywhere">{subject}</p>}
				<p className="whitespace-pre-wrap wrap-anywhere">{text}</p>
			</div>
			<p className="mt-2 text-quiet">
				{segments === undefined
					? words.lengthOf([...text].length)
					: words.segmentsOf(segments, [...text].length)}
			</p>
			{channel === "whatsapp" && <p className="mt-1 text-quiet">{words.whatsappPreview}</p>}
		</>
	);
}

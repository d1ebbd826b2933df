import { ClientError } from "@lango/client";
import { useKeptState } from "@lango/interface";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { showToast } from "../../../notices/toast.ts";
import { usePlatform } from "../../../platform.ts";
import { type Draft, draftOf, hasOwnVariables, isSameDraft, toDraftBody } from "./draft.ts";
import {
	type Finding,
	type Place,
	publishDraft,
	saveDraft,
	type Template,
	templateKey,
	templateQuery,
	templatesKey,
} from "./templates.queries.ts";
import { useTemplateTexts } from "./texts.ts";

/** A draft that is edited, and what its author can do with it. */
export type Editing = ReturnType<typeof useDraft>;

/**
 * Keeps what the author types. Only `take` replaces it: what others save meanwhile is a conflict, which is
 * shown until the author decides.
 */
export function useDraft(place: Place, opened: Template) {
	const queries = useQueryClient();
	// With what it was typed over: what others saved before a reload is a conflict, too.
	const [edited, setEdited] = useKeptState<Edited>(
		"draft",
		() => ({ base: opened, typed: draftOf(opened) }),
		isEdited,
	);
	const { base, typed } = edited;
	const [findings, setFindings] = useState<readonly Finding[]>([]);
	const [theirs, setTheirs] = useState<Template>();
	const isChanged = isEdited(edited);
	/** Changes what is typed from its newest state, which may not be rendered yet. */
	const change = (next: (draft: Draft) => Draft) => setEdited((now) => ({ ...now, typed: next(now.typed) }));
	/** Continues from another state; what was typed since `sent` stays. */
	const adopt = (template: Template, sent = draftOf(base)) => {
		queries.setQueryData(templateKey(place.scope, place.path), template);
		for (const queryKey of [
			[...templatesKey(place.scope), "list"],
			[...templateKey(place.scope, place.path), "versions"],
		])
			void queries.invalidateQueries({ queryKey });
		setTheirs(undefined);
		setEdited(({ typed: now }) => ({
			base: template,
			typed: isSameDraft(now, sent) ? draftOf(template) : now,
		}));
	};
	/** Continues from another state, without what was typed. */
	const take = (template: Template) => {
		adopt(template);
		change(() => draftOf(template));
		setFindings([]);
	};
	const { save, publish } = useSteps(place, { base, typed, adopt, setFindings, setTheirs });
	return {
		...{ place, base, typed, isChanged, findings, theirs, adopt, take, save, publish },
		isOwn: hasOwnVariables(base),
		change,
	};
}

type Edited = { base: Template; typed: Draft };
const isEdited = ({ base, typed }: Edited) => !isSameDraft(typed, draftOf(base));

type Steps = {
	base: Template;
	typed: Draft;
	adopt: (template: Template, sent?: Draft) => void;
	setFindings: (findings: readonly Finding[]) => void;
	setTheirs: (template: Template) => void;
};

function useSteps(place: Place, { base, typed, adopt, setFindings, setTheirs }: Steps) {
	const platform = usePlatform();
	const queries = useQueryClient();
	const words = useTemplateTexts();
	/** What is being saved at this moment. */
	const saving = useRef<ReturnType<typeof saveDraft>>(undefined);
	const store = async (from: Template) => {
		const body = toDraftBody(typed, hasOwnVariables(from));
		const saved = await saveDraft(platform, place, { body, etag: from.draft?.etag });
		setFindings(saved.findings);
		adopt(saved.template, typed);
		return saved;
	};
	const explain = async (error: unknown) => {
		const found = findingsOf(error);
		if (found.length > 0) setFindings(found);
		if (error instanceof ClientError && error.code === "draft_changed")
			setTheirs(await queries.fetchQuery({ ...templateQuery(platform, place), staleTime: 0 }));
	};
	const save = useMutation({
		mutationFn: (from: Template) => {
			const stored = store(from).finally(() => {
				saving.current = undefined;
			});
			saving.current = stored;
			return stored;
		},
		onSuccess: ({ findings }) =>
			showToast("done", findings.length === 0 ? words.saved : words.savedWithFindings(findings.length)),
		onError: explain,
	});
	const publish = async () => {
		try {
			// A draft that is still being saved would be in conflict with itself.
			const saved = (await saving.current)?.template ?? base;
			const from = isEdited({ base: saved, typed }) ? (await store(saved)).template : saved;
			const published = await publishDraft(platform, place, from.draft?.etag);
			setFindings([]);
			adopt(published, typed);
			return published;
		} catch (error) {
			await explain(error);
			throw error;
		}
	};
	return { save, publish };
}

/** What is wrong in a draft, as an error states it. */
export function findingsOf(error: unknown): readonly Finding[] {
	const problems = error instanceof ClientError ? error.body["problems"] : undefined;
	if (!Array.isArray(problems)) return [];
	return problems.filter(
		(one): one is Finding => typeof one?.place === "string" && typeof one?.code === "string",
	);
}

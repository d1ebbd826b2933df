import Type, { type Static } from "typebox";

/**
 * What can be wrong in a template, by code: the English text, in which a parameter is written `{name}`. Codes
 * are public: never rename one.
 */
export const templateFindings = {
	content_missing: "The template has no content.",
	content_repeated: "The content is there twice.",
	english_missing: "The English content is missing.",
	locale_invalid: "It is not a language.",
	subject_missing: "The subject is missing.",
	subject_unused: "The channel has no subject.",

	path_used: "A template with this path exists.",
	group_of_platform: "The platform uses this group.",
	group_unknown: "No template of the platform has this group.",
	variables_of_platform: "The variables are those of the platform's template.",
	name_reserved: "The name is reserved.",
	name_repeated: "The name occurs twice.",
	members_mismatched: "A list has members, and nothing else has.",

	sample_missing: "The sample of {name} is missing.",
	sample_not_text: "The sample of {name} must be a text.",
	sample_not_secret: "The sample of {name} must be a text that is not empty.",
	sample_not_number: "The sample of {name} must be a number or a text.",
	sample_not_date: "The sample of {name} must be a date of RFC 3339 or a text.",
	sample_not_link: "The sample of {name} must be an absolute https address.",
	sample_not_list: "The sample of {name} must be a list of at most {max} objects with all members.",

	source_too_long: "It is longer than {max} characters.",
	tag_unknown: "The tag {tag} does not exist, line {line}.",
	filter_unknown: "The filter {filter} does not exist, line {line}.",
	liquid_not_closed: "{text} is not closed, line {line}.",
	liquid_invalid: "The Liquid is not valid, line {line}: {detail}.",
	variable_undeclared: "The variable {name} is not declared, line {line}.",
	variable_computed: "{text} is not the name of a variable, line {line}.",
	value_invalid: "{text} is not a value, line {line}.",
	range_forbidden: "Ranges are not allowed, line {line}.",
	loop_nested: "A loop inside a loop is not allowed, line {line}.",
	loop_without_list: "A loop must be over a list among the variables, line {line}.",
	liquid_misplaced: "Liquid must be inside mj-text, mj-table or mj-button, or in href, src, alt or title.",

	characters_private: "It contains characters of private use.",
	markup_forbidden: "Comments, unquoted attributes and a bare < are not allowed.",
	include_forbidden: "Files cannot be included.",
	raw_forbidden: "Raw HTML is not allowed.",
	html_attributes_forbidden: "HTML attributes cannot be added.",
	element_forbidden: "The element {element} is not allowed.",
	element_misplaced: "The element {element} is not allowed inside {parent}.",
	element_not_closed: "The element {element} is not closed.",
	element_not_open: "The element {element} is closed where it is not open.",
	block_crossed: "Elements must be closed in the block that opens them.",
	attribute_forbidden: "The attribute {attribute} is not allowed.",
	attribute_misplaced: "The element {element} has no attribute {attribute}.",
	attribute_invalid: "The value of the attribute {attribute} is not allowed.",
	attribute_with_tag: "The attribute {attribute} contains a tag of Liquid.",
	attribute_with_variable: "The attribute {attribute} contains a variable.",
	style_forbidden: "The style {style} is not allowed.",
	style_unsafe: "A style positions or loads something.",
	link_forbidden: 'The {attribute} "{value}" is not an https address or one link variable.',
	redirect_forbidden: "A page cannot redirect.",

	mjml_invalid: "The MJML is not valid: {detail}.",
	compile_limit: "It exceeds the limits of {ms} ms or {mb} MB.",
	compile_busy: "Too many templates are being compiled. Try again.",
	render_limit: "It exceeds the limits of time or size when it is rendered.",
	render_failed: "It cannot be rendered with the samples: {detail}.",
} as const;

export type TemplateFindingCode = keyof typeof templateFindings;

const codes = Object.keys(templateFindings) as TemplateFindingCode[];

/** What is wrong in a template, and where. */
export const TemplateFinding = Type.Object({
	place: Type.String({ description: "email.en.subject for instance" }),
	code: Type.Enum(codes, { type: "string", description: "Stable; more can be added" }),
	params: Type.Record(Type.String(), Type.Union([Type.String(), Type.Number()]), {
		description: "What the text of the code names: a line, an element, a variable",
	}),
	reason: Type.String({ description: "The English text of the code, with its parameters" }),
});
export type TemplateFinding = Static<typeof TemplateFinding>;

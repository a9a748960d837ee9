/* SPDX-License-Identifier: MIT */
/* The words of the page on which a recipient chooses (choices.h), in its languages. */
#ifndef FCGI_PUBLIC_WORDS_H
#define FCGI_PUBLIC_WORDS_H

#define WORD_LANGUAGES 5

enum fcgi_word {
	WORD_UNSUBSCRIBE,
	WORD_IS_OFF,
	WORD_IS_ON,
	WORD_CHOICES,
	WORD_DONE,
	WORD_SAVED,
	WORD_ASK,
	WORD_OFF,
	WORD_OFF_TOPIC,
	WORD_ON,
	WORD_MISTAKE,
	WORD_ELSEWHERE,
	WORD_LEAVE_TOPIC,
	WORD_LEAVE_ALL,
	WORD_RETURN,
	WORD_TOPICS,
	WORD_AUDIENCES,
	WORD_PENDING,
	WORD_SAVE,
	WORD_PAUSE,
	WORD_SNOOZE_FOR,
	WORD_WEEKS,
	WORD_SNOOZE,
	WORD_SNOOZED,
	WORD_UNSNOOZE,
	WORD_CONFIRM_ASK,
	WORD_CONFIRM,
	WORD_CONFIRMED,
	WORD_CONFIRM_OVER,
	WORD_EMAIL,
	WORD_FIRST_NAME,
	WORD_LAST_NAME,
	WORD_TRAP,
	WORD_SUBSCRIBE,
	WORD_THANKS,
	WORD_NO_EMAIL,
	WORD_TOO_MANY,
	WORD_BROKEN,
	WORD_BROKEN_WHY,
	WORD_LATER,
	WORD_LATER_WHY,
	WORD_STRANGE,
	WORD_STRANGE_WHY,
	WORD_COUNT
};

/* By language, then by word. {address}, {sender} and {topic} stand for those of the email,
   {audience} for that of a confirmation, {date} for the end of a pause, {weeks} for a number. */
extern const char *const fcgi_words[WORD_LANGUAGES][WORD_COUNT];

#endif
